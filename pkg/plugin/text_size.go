package plugin

import (
	"encoding/json"
	"fmt"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/packed"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// maxText bounds the texts of a result, with labels and names, in bytes. In memory a text is shared by all cells that have it, and in
// what is sent each has its own: a label of a megabyte in a table of a thousand rows is a gigabyte. Packed series share theirs.
const maxText = 128 << 20

// checkText is a *query.Error for frames with too much text.
func checkText(frames data.Frames) error {
	left := maxText
	for _, frame := range frames {
		if frame.Meta != nil && frame.Meta.Type == packed.FrameType {
			continue
		}
		for _, field := range frame.Fields {
			if left -= textOf(field, left); left < 0 {
				return &query.Error{Field: "Query", Message: fmt.Sprintf("the result has more than %d MB of text, with labels and names. Query less.", maxText>>20)}
			}
		}
	}
	return nil
}

// textOf is the length of the texts of a field. It stops counting beyond most.
func textOf(field *data.Field, most int) int {
	sum := len(field.Name)
	if field.Config != nil {
		sum += len(field.Config.DisplayNameFromDS)
	}
	for name, value := range field.Labels {
		sum += len(name) + len(value)
	}
	for i := 0; i < field.Len() && sum <= most; i++ {
		switch value := field.PointerAt(i).(type) {
		case *string:
			sum += len(*value)
		case **string:
			if *value != nil {
				sum += len(**value)
			}
		case *json.RawMessage:
			sum += len(*value)
		default:
			return sum
		}
	}
	return sum
}
