// cspell:ignore jsoniter

package reference

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	jsoniter "github.com/json-iterator/go"
)

// bufferSize of the iterator, in bytes. Grafana's own data sources use 1024; more makes no difference that shows.
const bufferSize = 1024

// Decode reads a matrix or a vector and returns a frame for each series, in the order received, with the fields "Time"
// and "Value"; labels are on the latter. Any other response is an error.
//
// Format: https://prometheus.io/docs/prometheus/latest/querying/api/#expression-query-result-formats
func Decode(r io.Reader) (data.Frames, error) {
	iter := jsoniter.Parse(jsoniter.ConfigDefault, r, bufferSize)
	var status string
	var frames data.Frames
	for member := iter.ReadObject(); member != ""; member = iter.ReadObject() {
		switch member {
		case "status":
			status = iter.ReadString()
		case "data":
			frames = readData(iter)
		default:
			iter.Skip()
		}
	}
	if iter.Error != nil && !errors.Is(iter.Error, io.EOF) {
		return nil, iter.Error
	}
	if status != "success" {
		return nil, fmt.Errorf("the answer's status is %q", status)
	}
	return frames, nil
}

func readData(iter *jsoniter.Iterator) data.Frames {
	var frames data.Frames
	for member := iter.ReadObject(); member != ""; member = iter.ReadObject() {
		switch member {
		case "resultType":
			if kind := iter.ReadString(); kind != "matrix" && kind != "vector" {
				iter.ReportError("resultType", kind)
			}
		case "result":
			for iter.ReadArray() {
				frames = append(frames, readSeries(iter))
			}
		default:
			iter.Skip()
		}
	}
	return frames
}

func readSeries(iter *jsoniter.Iterator) *data.Frame {
	times := data.NewFieldFromFieldType(data.FieldTypeTime, 0)
	times.Name = data.TimeSeriesTimeFieldName
	values := data.NewFieldFromFieldType(data.FieldTypeFloat64, 0)
	values.Name = data.TimeSeriesValueFieldName
	values.Labels = data.Labels{}
	for member := iter.ReadObject(); member != ""; member = iter.ReadObject() {
		switch member {
		case "metric":
			iter.ReadVal(&values.Labels)
		case "value":
			readSample(iter, times, values)
		case "values":
			for iter.ReadArray() {
				readSample(iter, times, values)
			}
		default:
			iter.Skip()
		}
	}
	return data.NewFrame("", times, values)
}

// readSample reads [seconds, "value"].
func readSample(iter *jsoniter.Iterator, times, values *data.Field) {
	iter.ReadArray()
	seconds := iter.ReadFloat64()
	iter.ReadArray()
	text := iter.ReadString()
	iter.ReadArray()
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		iter.ReportError("value", text)
		return
	}
	times.Append(time.UnixMilli(int64(seconds * 1000)).UTC())
	values.Append(value)
}
