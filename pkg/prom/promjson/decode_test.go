package promjson_test

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promjson"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	columns "github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
)

func TestDecode(t *testing.T) {
	at := time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC)
	unix := strconv.FormatInt(at.Unix(), 10)
	tests := map[string]struct {
		body   string
		kind   parser.ValueType
		times  []time.Time
		values []float64
		labels data.Labels
	}{
		"a matrix": {
			`{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"gpu":"0","__name__":"up"},"values":[[` + unix + `,"1"],[` + unix + `.5,"2.25"]]}]}}`,
			parser.ValueTypeMatrix, []time.Time{at, at.Add(500 * time.Millisecond)}, []float64{1, 2.25}, data.Labels{"gpu": "0", "__name__": "up"}},
		"a vector": {
			`{"status":"success","data":{"resultType":"vector","result":[{"metric":{"a":"b"},"value":[` + unix + `,"-0.5"]}]}}`,
			parser.ValueTypeVector, []time.Time{at}, []float64{-0.5}, data.Labels{"a": "b"}},
		"a scalar": {
			`{"status":"success","data":{"resultType":"scalar","result":[` + unix + `,"42"]}}`,
			parser.ValueTypeScalar, []time.Time{at}, []float64{42}, data.Labels{}},
		"white space, unknown members and members in another order": {
			"\n{ \"isPartial\":false, \"data\" : {\"result\":[ {\"values\":[ [ " + unix + " , \"1\" ] ] , \"metric\": { } , \"group\":[1,{\"x\":null}] } ],\t\"stats\":{},\"resultType\":\"matrix\"},\"status\":\"success\" }\r\n",
			parser.ValueTypeMatrix, []time.Time{at}, []float64{1}, data.Labels{}},
		"infinities": {
			`{"status":"success","data":{"resultType":"matrix","result":[{"metric":{},"values":[[` + unix + `,"+Inf"],[` + unix + `,"-Inf"],[` + unix + `,"1e-7"],[` + unix + `,"12345678901234567890"]]}]}}`,
			parser.ValueTypeMatrix, []time.Time{at, at, at, at}, []float64{math.Inf(1), math.Inf(-1), 1e-7, 12345678901234567890}, data.Labels{}},
		"a label without a value, which is none": {
			`{"status":"success","data":{"resultType":"vector","result":[{"metric":{"node":"","gpu":"0"},"value":[` + unix + `,"1"]}]}}`,
			parser.ValueTypeVector, []time.Time{at}, []float64{1}, data.Labels{"gpu": "0"}},
		"labels with escapes and unicode": {
			`{"status":"success","data":{"resultType":"vector","result":[{"metric":{"pa\"th":"C:\\x\u00fc","ü":"\ud83d\ude00"},"value":[` + unix + `,"1"]}]}}`,
			parser.ValueTypeVector, []time.Time{at}, []float64{1}, data.Labels{`pa"th`: `C:\xü`, "ü": "😀"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			// One byte at a time, so that every token crosses the end of the buffer.
			for _, r := range []io.Reader{strings.NewReader(test.body), iotest.OneByteReader(strings.NewReader(test.body))} {
				result, err := promjson.Decode(r, promql.Limits{})
				require.NoError(t, err)
				require.Equal(t, test.kind, result.Type)
				require.Len(t, result.Matrix.Frames(plain, nil), 1)
				times, value := result.Matrix.Frames(plain, nil)[0].Fields[0], result.Matrix.Frames(plain, nil)[0].Fields[1]
				require.Equal(t, "Time", times.Name)
				require.Equal(t, "Value", value.Name)
				require.Equal(t, test.labels, value.Labels)
				require.Equal(t, len(test.values), value.Len())
				for i := range test.values {
					require.Equal(t, test.times[i], times.At(i))
					require.Equal(t, test.values[i], value.At(i))
				}
			}
		})
	}
}

func TestDecode_TooLong(t *testing.T) {
	for name, body := range map[string]string{
		"a text":                   `{"x":"` + strings.Repeat("a", 4<<20+1) + `"}`,
		"a text that never ends":   `{"x":"` + strings.Repeat("a", 5<<20),
		"a text of escapes":        `{"x":"` + strings.Repeat(`\"`, 2<<20+1) + `"}`,
		"the labels of one series": `{"status":"success","data":{"resultType":"vector","result":[{"metric":{` + manyLabels(10_001) + `},"value":[1,"1"]}]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := promjson.Decode(strings.NewReader(body), promql.Limits{})
			require.ErrorIs(t, err, promjson.ErrTooLong)
		})
	}
	_, err := promjson.Decode(strings.NewReader(`{"status":"success","data":{"resultType":"vector","result":[]},"x":"`+strings.Repeat("a", 4<<20)+`"}`), promql.Limits{})
	require.NoError(t, err)
}

func TestDecode_ReaderError(t *testing.T) {
	broken := errors.New("connection reset")
	_, err := promjson.Decode(io.MultiReader(strings.NewReader(`{"status":"succ`), iotest.ErrReader(broken)), promql.Limits{})
	require.ErrorIs(t, err, broken)
}

func TestDecode_SharedTimes(t *testing.T) {
	result, err := promjson.Decode(strings.NewReader(`{"status":"success","data":{"resultType":"matrix","result":[
		{"metric":{"n":"a"},"values":[[60,"1"],[120,"2"]]}, {"metric":{"n":"b"},"values":[[60,"3"],[120,"4"]]},
		{"metric":{"n":"c"},"values":[[60,"5"]]}, {"metric":{"n":"d"},"values":[[60,"6"],[120,"7"]]}]}}`), promql.Limits{})
	require.NoError(t, err)
	var minutes [][]int64
	for i, frame := range result.Matrix.Frames(plain, nil) {
		times := frame.Fields[0]
		require.Equal(t, "Time", times.Name)
		times.Name = strconv.Itoa(i)
		var own []int64
		for row := range times.Len() {
			own = append(own, times.At(row).(time.Time).Unix()/60)
		}
		minutes = append(minutes, own)
	}
	require.Equal(t, [][]int64{{1, 2}, {1, 2}, {1}, {1, 2}}, minutes)
}

func manyLabels(n int) string {
	labels := make([]string, n)
	for i := range labels {
		labels[i] = fmt.Sprintf(`"l%d":""`, i)
	}
	return strings.Join(labels, ",")
}

// plain names the values of a series.
func plain(*columns.Series) (name string, display *string) { return "Value", nil }
