// cspell:ignore ufeff nullx

package promjson_test

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promjson"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
)

// FuzzDecode compares the scanner with encoding/json: both return the same result or the same error.
func FuzzDecode(f *testing.F) {
	for _, body := range bodies {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) { requireAgreement(t, body) })
}

// FuzzSample does the same for the time and the value of a sample, for which the scanner has several code paths.
func FuzzSample(f *testing.F) {
	for _, sample := range [][2]string{
		{"1435781430.781", "0.5"}, {"1", "NaN"}, {"0", "+Inf"}, {"1e3", "-Inf"}, {"-1.5", "1e-7"}, {"9999999999.999", "0x1p-2"},
		{"1435781430.7815", "123456789012345678"}, {"01", "1_0"}, {"1.", ".5"}, {"9223372036.854", "-0"}, {"9223372036.855", "1e999"},
		{"1435781430.78", "0.1"}, {"1", "12345678901234567890"}, {"1435781430.7", "infinity"}, {"1E+3", `\u0031`}, {"9007199254740993", "179769313486231580793e289"},
	} {
		f.Add(sample[0], sample[1])
	}
	f.Fuzz(func(t *testing.T, at, value string) {
		// The second sample follows the first directly, as in a long series, and the third is at the end of the body.
		sample := "[" + at + `,"` + value + `"]`
		requireAgreement(t, []byte(`{"status":"success","data":{"resultType":"matrix","result":[{"metric":{},"values":[`+
			sample+","+sample+`, `+sample+`]}]}}`))
		requireAgreement(t, []byte(`{"data":{"resultType":"scalar","result":`+sample+`},"status":"success"}`))
	})
}

// FuzzText does the same for strings, as labels, warnings and results.
func FuzzText(f *testing.F) {
	for _, text := range []string{
		"instance", `a\"b\\`, `\u00e9`, `\ud83d\ude00`, `\ud83d`, `\ude00\ud83d`, `\u12`, "\xff\xfe", "é", "\x00", "\x7f", "\u2028", `\`, `\\"`, `\/\b\f\n\r\t`, `\x`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		quoted := `"` + string(text) + `"`
		requireAgreement(t, []byte(`{"status":"success","data":{"resultType":"vector","result":[{"metric":{`+
			quoted+":"+quoted+`,"a":`+quoted+`},"value":[1,"1"]}]},"warnings":[`+quoted+`],`+quoted+`:{`+quoted+`:`+quoted+`}}`))
		requireAgreement(t, []byte(`{"status":"success","data":{"result":[1,`+quoted+`],"resultType":"string"}}`))
		requireAgreement(t, []byte(`{"status":"error","errorType":`+quoted+`,"error":`+quoted+`}`))
	})
}

// requireAgreement decodes a body by the reference and twice by the scanner: at once, and a byte at a time, so that every token
// crosses the end of the buffer.
func requireAgreement(t *testing.T, body []byte) {
	t.Helper()
	want := read(body)
	for _, r := range []io.Reader{bytes.NewReader(body), iotest.OneByteReader(bytes.NewReader(body))} {
		got, err := promjson.Decode(r, promql.Limits{})
		if want.message != "" {
			require.Equal(t, promjson.Failure(want.message), err, "%q", body)
			continue
		}
		require.Equal(t, want.err, err, "%q", body)
		if err != nil {
			continue
		}
		require.Equal(t, want.kind, got.Type)
		require.Equal(t, want.warnings, got.Warnings)
		require.Equal(t, want.infos, got.Infos)
		require.Len(t, got.Matrix.Frames(plain, nil), len(want.series), "%q", body)
		for i, s := range want.series {
			requireSeries(t, s, got.Matrix.Frames(plain, nil)[i])
		}
	}
}

func requireSeries(t *testing.T, want series, got *data.Frame) {
	t.Helper()
	if want.isCells {
		requireCells(t, want, got)
		return
	}
	require.Nil(t, got.Meta)
	require.Len(t, got.Fields, 2)
	times, values := got.Fields[0], got.Fields[1]
	require.Equal(t, "Time", times.Name)
	require.Equal(t, "Value", values.Name)
	require.Equal(t, data.Labels(want.labels), values.Labels)
	require.Equal(t, len(want.times), times.Len())
	require.Equal(t, len(want.times), values.Len())
	for i, at := range want.times {
		require.True(t, at.Equal(times.At(i).(time.Time)), "%s, not %s", times.At(i), at)
		require.Equal(t, math.Float64bits(want.values[i]), math.Float64bits(values.At(i).(float64)))
	}
}

func requireCells(t *testing.T, want series, got *data.Frame) {
	t.Helper()
	require.Equal(t, data.FrameType("heatmap-cells"), got.Meta.Type)
	require.Len(t, got.Fields, 5)
	for i, name := range []string{"xMax", "yMin", "yMax", "count", "yLayout"} {
		require.Equal(t, name, got.Fields[i].Name)
		require.Equal(t, data.Labels(want.labels), got.Fields[i].Labels)
		require.Equal(t, len(want.cells), got.Fields[i].Len())
	}
	for row, c := range want.cells {
		require.True(t, c.at.Equal(got.Fields[0].At(row).(time.Time)))
		for i, number := range []float64{c.lower, c.upper, c.sum} {
			require.Equal(t, math.Float64bits(number), math.Float64bits(got.Fields[i+1].At(row).(float64)))
		}
		require.Equal(t, c.layout, got.Fields[4].At(row))
	}
}

// bodies have each part of the format, and each kind of malformed response.
var bodies = map[string]string{
	"a matrix":                            matrix(`{"metric":{"a":"b"},"values":[[1.5,"1"],[2,"NaN"]]},{"metric":{"a":"c"},"values":[]}`),
	"a vector with warnings":              `{"status":"success","data":{"resultType":"vector","result":[{"metric":{"é":"\u00e9"},"value":[1e3,"+Inf"]}]},"warnings":["x"],"infos":[]}`,
	"a scalar and unknown members":        `{"status":"success","data":{"resultType":"scalar","result":[1,"0.30000000000000004"]},"x":[{},[],-1.5e-7,true,false,null]}`,
	"a string that looks like a number":   `{"status":"success","data":{"result":[1.5,"12"],"resultType":"string"}}`,
	"a scalar that is not a number":       `{"status":"success","data":{"result":[1.5,"x"],"resultType":"scalar"}}`,
	"a partial response":                  `{"status":"success","isPartial":true,"data":{"resultType":"matrix","result":[]}}`,
	"isPartial twice":                     `{"status":"success","isPartial":true,"data":{"resultType":"matrix","result":[]},"isPartial":false}`,
	"isPartial false":                     `{"status":"success","isPartial":false,"data":{"resultType":"matrix","result":[]},"warnings":["x"]}`,
	"isPartial of another type":           `{"status":"success","isPartial":{"a":[true]},"data":{"resultType":"matrix","result":[]}}`,
	"an error":                            `{"status":"error","errorType":"a","error":"b","data":null}`,
	"an error without a message":          `{"status":"error"}`,
	"an error with data of no type":       `{"status":"error","error":"b","data":{}}`,
	"a success with an error":             `{"status":"success","errorType":"a","error":"b","data":{"resultType":"vector","result":null}}`,
	"null where a text belongs":           `{"status":"success","error":null,"warnings":null,"data":{"resultType":null,"result":[]}}`,
	"null as a series":                    matrix(`null`),
	"null as labels":                      matrix(`{"metric":null,"values":[]}`),
	"null as a label":                     matrix(`{"metric":{"a":null},"values":[]}`),
	"null as samples":                     matrix(`{"metric":{},"values":null}`),
	"a member twice":                      `{"status":"success","status":"success","data":{"resultType":"matrix","result":[]}}`,
	"a member in another case":            `{"Status":"success","data":{"resultType":"matrix","result":[]}}`,
	"an unknown member twice":             `{"x":1,"x":2,"status":"success","data":{"resultType":"matrix","result":[]}}`,
	"results twice":                       `{"status":"success","data":{"resultType":"matrix","result":[],"result":[]}}`,
	"a label without a value":             matrix(`{"metric":{"node":"","gpu":"0"},"values":[[1,"1"]]}`),
	"a label twice":                       matrix(`{"metric":{"a":"b","\u0061":"c"},"values":[]}`),
	"labels twice":                        matrix(`{"metric":{},"metric":{},"values":[]}`),
	"values and a value":                  matrix(`{"metric":{},"values":[],"value":[1,"1"]}`),
	"a list and a point":                  matrix(`{"metric":{},"values":[]},{"metric":{},"value":[1,"1"]}`),
	"native histograms":                   matrix(`{"metric":{},"histograms":[[1,{"count":"1","sum":"2","buckets":[[0,"1","2","3"]]}]]}`),
	"native histograms beside values":     matrix(`{"metric":{},"values":[[1,"1"]],"histograms":[[1,{}]]}`),
	"a native histogram":                  `{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"histogram":[1,{}]}]}}`,
	"a native histogram that breaks off":  `{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"histogram":[1,{`,
	"native histograms before labels":     matrix(`{"histograms":[[1.5,{"buckets":[[0,"-0.5","0.5","NaN"],[3,"-Inf","+Inf","1e999"]],"x":[{}]}],[2,{"sum":"1"}]],"metric":{"a":"b"}},{"metric":{},"values":[[1,"1"]]}`),
	"a native histogram of a vector":      `{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1,"2"]},{"metric":{"a":"b"},"histogram":[1,{"count":"3","sum":"4","buckets":[[1,"1","2","3"]]}]}]}}`,
	"native histograms twice":             matrix(`{"metric":{},"histograms":[],"histograms":[]}`),
	"no native histograms":                matrix(`{"metric":{},"histograms":[]}`),
	"null as native histograms":           matrix(`{"metric":{},"histograms":null}`),
	"null as buckets":                     matrix(`{"metric":{},"histograms":[[1,{"buckets":null}]]}`),
	"buckets twice":                       matrix(`{"metric":{},"histograms":[[1,{"buckets":[],"buckets":[]}]]}`),
	"a bucket with three parts":           matrix(`{"metric":{},"histograms":[[1,{"buckets":[[0,"1","2"]]}]]}`),
	"a bucket with five parts":            matrix(`{"metric":{},"histograms":[[1,{"buckets":[[0,"1","2","3","4"]]}]]}`),
	"a bucket of numbers":                 matrix(`{"metric":{},"histograms":[[1,{"buckets":[[0,1,2,3]]}]]}`),
	"a bucket of no known layout":         matrix(`{"metric":{},"histograms":[[1,{"buckets":[[128,"1","2","3"]]}]]}`),
	"a bucket of half a layout":           matrix(`{"metric":{},"histograms":[[1,{"buckets":[[0.5,"1","2","3"]]}]]}`),
	"a native histogram with three parts": matrix(`{"metric":{},"histograms":[[1,{},1]]}`),
	"a native histogram that is a text":   matrix(`{"metric":{},"histograms":[[1,"1"]]}`),
	"values and a native histogram":       matrix(`{"metric":{},"values":[],"histogram":[1,{}]}`),
	"a native histogram of another type":  matrix(`{"metric":{},"histogram":[1,{}]}`),
	"a sample with three parts":           matrix(`{"metric":{},"values":[[1,"1",1]]}`),
	"a sample with one part":              matrix(`{"metric":{},"values":[[1]]}`),
	"a comma too many":                    matrix(`{"metric":{},"values":[[1,"1"],]}`),
	"a comma too few":                     matrix(`{"metric":{} "values":[]}`),
	"a byte order mark":                   "\ufeff" + matrix(``),
	"a form feed":                         "\f" + matrix(``),
	"a zero byte at the end":              matrix(``) + "\x00",
	"a second body":                       matrix(``) + matrix(``),
	"white space everywhere":              " { \"status\"\t:\r\"success\"\n,\"data\" : { \"resultType\" : \"matrix\" , \"result\" : [ { \"metric\" : { \"a\" : \"b\" } , \"values\" : [ [ 1 , \"1\" ] , [ 2 , \"2\" ] ] } ] } } \n",
	"nothing":                             ``,
	"a list":                              `[]`,
	"a literal that breaks off":           `{"x":tru`,
	"a literal that goes on":              `{"x":nullx}`,
	"trailing data":                       matrix(``) + "x",
	"a web page":                          "<html></html>",
	"no status":                           `{"data":{"resultType":"matrix","result":[]}}`,
	"no data":                             `{"status":"success"}`,
	"a type without its structure":        `{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"values":[[1,"1"]]}]}}`,
	"an unknown type":                     `{"status":"success","data":{"resultType":"streams","result":[]}}`,
	"a value without quotes":              `{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1,1]}]}}`,
	"a series without samples' member":    matrix(`{"metric":{}}`),
}

func matrix(series string) string {
	return `{"status":"success","data":{"resultType":"matrix","result":[` + series + `]}}`
}

func TestDecode_AgreesWithEncodingJSON(t *testing.T) {
	for _, depth := range []int{1, 9_998, 9_999, 10_000, 20_000} {
		open, end := strings.Repeat("[", depth), strings.Repeat("]", depth)
		t.Run("lists within lists", func(t *testing.T) {
			requireAgreement(t, []byte(`{"x":`+open+end+`,"status":"success","data":{"resultType":"matrix","result":[]}}`))
		})
		t.Run("lists within a series", func(t *testing.T) {
			requireAgreement(t, []byte(matrix(`{"x":`+open+end+`,"values":[]}`)))
		})
	}
	whole := []byte(bodies["a vector with warnings"])
	require.True(t, json.Valid(whole))
	for i := range whole {
		requireAgreement(t, whole[:i])
	}
}
