package promclient

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient/promjson"
)

// encodeResult encodes a result as the member "data" of a response of the Prometheus HTTP API. It is false for strings and
// native histograms, of which frames hold less than the response had.
//
// Format: https://prometheus.io/docs/prometheus/latest/querying/api/#expression-query-result-formats
func encodeResult(result *promjson.Result) (json.RawMessage, bool) {
	if result.Type == promjson.String || slices.ContainsFunc(result.Frames, isNativeHistogram) {
		return nil, false
	}
	b := append([]byte(`{"resultType":"`), result.Type...)
	b = append(b, `","result":`...)
	if result.Type == promjson.Scalar {
		b = appendSample(b, result.Frames[0], 0)
		return append(b, '}'), true
	}
	b = append(b, '[')
	for i, frame := range result.Frames {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"metric":`...)
		b = appendLabels(b, frame.Fields[1].Labels)
		if result.Type == promjson.Vector {
			b = append(b, `,"value":`...)
			b = appendSample(b, frame, 0)
		} else {
			b = append(b, `,"values":[`...)
			for row := range frame.Fields[0].Len() {
				if row > 0 {
					b = append(b, ',')
				}
				b = appendSample(b, frame, row)
			}
			b = append(b, ']')
		}
		b = append(b, '}')
	}
	return append(b, "]}"...), true
}

func appendLabels(b []byte, labels data.Labels) []byte {
	b = append(b, '{')
	for i, name := range slices.Sorted(maps.Keys(labels)) {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendText(b, name)
		b = append(b, ':')
		b = appendText(b, labels[name])
	}
	return append(b, '}')
}

func appendText(b []byte, text string) []byte {
	encoded, _ := json.Marshal(text) // never fails for a string
	return append(b, encoded...)
}

// appendSample appends [seconds, "value"].
func appendSample(b []byte, frame *data.Frame, row int) []byte {
	at, _ := frame.Fields[0].At(row).(time.Time)
	value, _ := frame.Fields[1].At(row).(float64)
	b = append(b, '[')
	b = strconv.AppendFloat(b, float64(at.UnixMilli())/1000, 'f', -1, 64)
	b = append(b, ',', '"')
	b = strconv.AppendFloat(b, value, 'f', -1, 64)
	return append(b, '"', ']')
}
