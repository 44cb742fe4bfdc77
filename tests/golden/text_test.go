package golden

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"
)

// text writes a response for people: its error, or each frame with its type, its notices, and a line for each field with the
// values of all rows, above the configuration of the field.
func text(response backend.DataResponse) string {
	if response.Error != nil {
		return fmt.Sprintf("Error %d (%s): %s\n", response.Status, response.ErrorSource, response.Error)
	}
	var b strings.Builder
	for i, frame := range response.Frames {
		if i > 0 {
			b.WriteString("\n")
		}
		writeFrame(&b, frame)
	}
	return b.String()
}

func writeFrame(b *strings.Builder, frame *data.Frame) {
	if meta := frame.Meta; meta != nil {
		if meta.Type != "" {
			fmt.Fprintf(b, "Type: %s %v\n", meta.Type, meta.TypeVersion)
		}
		if shown := string(meta.PreferredVisualization) + meta.PreferredVisualizationPluginID; shown != "" {
			fmt.Fprintf(b, "Shown as: %s\n", shown)
		}
		if meta.ExecutedQueryString != "" {
			fmt.Fprintf(b, "Executed: %q\n", meta.ExecutedQueryString)
		}
		if meta.Custom != nil {
			fmt.Fprintf(b, "Custom: %s\n", encoded(meta.Custom))
		}
		for _, notice := range meta.Notices {
			severity := notice.Severity.String()
			fmt.Fprintf(b, "Notice, %s: %s\n", severity, notice.Text)
		}
	}
	fmt.Fprintf(b, "Frame %q, %d rows\n", frame.Name, frame.Rows())
	for _, field := range frame.Fields {
		fmt.Fprintf(b, "  %s%s %s: %s\n", field.Name, labels(field), field.Type().ItemTypeString(), values(field))
		if field.Config != nil {
			fmt.Fprintf(b, "    %s\n", encoded(field.Config))
		}
	}
}

func labels(field *data.Field) string {
	if field.Labels == nil {
		return ""
	}
	return "{" + field.Labels.String() + "}"
}

// values are those of all rows. A null is written as "–".
func values(field *data.Field) string {
	var written []string
	for row := range field.Len() {
		value, known := field.ConcreteAt(row)
		cell := fmt.Sprint(value)
		switch value := value.(type) {
		case time.Time:
			cell = value.UTC().Format(time.RFC3339Nano)
		case json.RawMessage:
			cell = string(value)
		}
		if !known {
			cell = "–"
		}
		written = append(written, cell)
	}
	return strings.Join(written, " | ")
}

func encoded(value any) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return err.Error()
	}
	return strings.TrimSpace(b.String())
}
