package prom

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promjson"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/budgettest"
)

// matrixOf is the response to a range query of so many series on so many steps of a minute, with values as gauges have them.
func matrixOf(series, steps int) []byte {
	var b strings.Builder
	b.WriteString(`{"status":"success","data":{"resultType":"matrix","result":[`)
	for s := range series {
		if s > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"metric":{"Hostname":"node-%04d","UUID":"GPU-%08x","__name__":"DCGM_FI_DEV_GPU_UTIL","gpu":"%d","instance":"node-%04d:9400","job":"dcgm"},"values":[`, s/8, s*7919, s%8, s/8)
		for i := range steps {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, `[%d,"%v"]`, 1790000040+60*i, float64((s*31+i*17)%1000)/10)
		}
		b.WriteString(`]}`)
	}
	b.WriteString(`]}}`)
	return []byte(b.String())
}

// encodedAsValues is the response as encoding/json writes it from values.
func encodedAsValues(t *testing.T, result *promql.Result) string {
	t.Helper()
	type sample [2]any
	at := func(frame *data.Frame, row int) sample {
		value, _ := frame.Fields[1].FloatAt(row)
		return sample{float64(frame.Fields[0].At(row).(time.Time).UnixMilli()) / 1000, strconv.FormatFloat(value, 'f', -1, 64)}
	}
	var encoded any
	if result.Type == parser.ValueTypeScalar {
		encoded = at(result.Matrix.Frames(plain, nil)[0], 0)
	} else {
		list := []any{}
		for _, frame := range result.Matrix.Frames(plain, nil) {
			if result.Type == parser.ValueTypeVector {
				list = append(list, struct {
					Metric data.Labels `json:"metric"`
					Value  sample      `json:"value"`
				}{frame.Fields[1].Labels, at(frame, 0)})
				continue
			}
			samples := []sample{}
			for row := range frame.Rows() {
				samples = append(samples, at(frame, row))
			}
			list = append(list, struct {
				Metric data.Labels `json:"metric"`
				Values []sample    `json:"values"`
			}{frame.Fields[1].Labels, samples})
		}
		encoded = list
	}
	raw, err := json.Marshal(struct {
		ResultType parser.ValueType `json:"resultType"`
		Result     any              `json:"result"`
	}{result.Type, encoded})
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, json.NewEncoder(&b).Encode(struct {
		Status   string          `json:"status"`
		Data     json.RawMessage `json:"data"`
		Warnings []string        `json:"warnings,omitempty"`
		Infos    []string        `json:"infos,omitempty"`
	}{"success", raw, result.Warnings, result.Infos}))
	return b.String()
}

func TestResponse_Write(t *testing.T) {
	for name, body := range map[string]string{
		"many series": string(matrixOf(100, 50)),
		"series with gaps, odd values and markup": `{"status":"success","data":{"resultType":"matrix","result":[
			{"metric":{"a":"<b>&\"\u2028","b":""},"values":[[1.5,"1e300"],[2,"NaN"],[60,"-Inf"]]},
			{"metric":{},"values":[[2,"0.1"],[60,"+Inf"],[61,"-0"]]},{"metric":{"c":"d"},"values":[[1.5,"5e-324"]]}]},
			"warnings":["a <warning>"],"infos":["an info"]}`,
		"a vector":  `{"status":"success","data":{"resultType":"vector","result":[{"metric":{"a":"b"},"value":[1790000040.123,"42"]},{"metric":{"a":"c"},"value":[1790000040.123,"43"]}]}}`,
		"a scalar":  `{"status":"success","data":{"resultType":"scalar","result":[1790000040,"42"]}}`,
		"no series": `{"status":"success","data":{"resultType":"matrix","result":[]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			result, err := promjson.Decode(strings.NewReader(body), promql.Limits{})
			require.NoError(t, err)
			response := &Response{Warnings: result.Warnings, Infos: result.Infos, result: result}
			var b bytes.Buffer
			require.NoError(t, response.Write(&b))
			require.Equal(t, encodedAsValues(t, result), b.String())
		})
	}
}

// What has no form in frames is written as the engine wrote it.
func TestResponse_Write_OtherTypes(t *testing.T) {
	for name, body := range map[string]string{
		"native histograms": `{"resultType":"matrix","result":[{"metric":{"a":"b"},"values":[[0,"1"]],"histograms":[` +
			`[60,{"count":"7","sum":"9.5","buckets":[[3,"-0.001","0.001","2"],[0,"0.5","+Inf","5"]]}],[120,{"count":"0","sum":"0"}]]},{"metric":{"c":"d"},"values":[[0,"1"]]}]}`,
		"a native histogram": `{"resultType":"vector","result":[{"metric":{},"histogram":[60,{"count":"1","sum":"1","buckets":[[0,"0.5","0.7","1"]]}]}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			result, err := promjson.Decode(strings.NewReader(`{"status":"success","data":`+body+`}`), promql.Limits{})
			require.NoError(t, err)
			var b bytes.Buffer
			err = (&Response{result: result}).Write(&b)
			require.NoError(t, err)
			require.JSONEq(t, `{"status":"success","data":`+body+`}`, b.String())
		})
	}
}

func TestAppendFloat_AsStrconv(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	values := []float64{0, math.Copysign(0, -1), 0.01, 0.1, 0.29, 1.005, 99.99, 1e13, 1e15, 12345678901234.56, math.MaxFloat64, math.SmallestNonzeroFloat64, math.NaN(), math.Inf(1)}
	for range 10_000 {
		values = append(values, float64(random.IntN(1_000_000))/100, random.Float64()*1000, math.Float64frombits(random.Uint64()))
	}
	for _, value := range values {
		for _, value := range []float64{value, -value} {
			if want := `"` + strconv.FormatFloat(value, 'f', -1, 64) + `"`; want != string(appendFloat(nil, value)) {
				t.Fatal(want, string(appendFloat(nil, value)))
			}
		}
	}
}

func TestResponse_Write_ReaderGone(t *testing.T) {
	result, err := promjson.Decode(bytes.NewReader(matrixOf(100, 300)), promql.Limits{})
	require.NoError(t, err)
	err = (&Response{result: result}).Write(gone{})
	require.ErrorIs(t, err, io.ErrClosedPipe)
}

type gone struct{}

func (gone) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestResponse_Write_Memory(t *testing.T) {
	result, err := promjson.Decode(bytes.NewReader(matrixOf(2048, 361)), promql.Limits{})
	require.NoError(t, err)
	response := &Response{result: result}
	write := func() { _ = response.Write(io.Discard) }
	budgettest.Within(t, 2*time.Second, 2<<20, write) // the answer has 16 MB
	require.LessOrEqual(t, testing.AllocsPerRun(1, write), 30_000.0)
}

// plain names the values of a series.
func plain(*series.Series) (name string, display *string) { return "Value", nil }
