package prom_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/packed"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/promtest"
)

// packedFixture has the frames of the same queries without and with the option "packed", as Grafana sends them to browsers. A
// test of the front end unpacks the latter and compares them with the former. UPDATE_FIXTURES=1 writes it.
const packedFixture = "../../src/metrics/testdata/packedFrames.json"

// engineSeries are series of a range of ten steps of one minute, each a list of values at its steps; "." is a gap.
type engineSeries struct{ metric, values string }

// packedResults are results whose series differ in their times and in the forms of their values.
var packedResults = []struct {
	name   string
	series []engineSeries
}{
	{"no series", nil},
	{"one series", []engineSeries{{`{"gpu":"0"}`, "1 2 3 4 5 6 7 8 9 10"}}},
	{"the same times", []engineSeries{
		{`{"__name__":"up","gpu":"0"}`, "1 2 3 4 5 6 7 8 9 10"},
		{`{"__name__":"up","gpu":"1"}`, "0.1 1e300 -0 4 5 6 7 8 9 1e-9"},
		{`{"__name__":"down"}`, "0 0 0 0 0 0 0 0 0 0"},
	}},
	{"values that JSON has not", []engineSeries{
		{`{"gpu":"0"}`, "NaN 2 +Inf -Inf 5 6 7 8 9 NaN"},
		{`{"gpu":"1"}`, ". NaN . -Inf 5 +Inf 7 8 9 ."},
		{`{"gpu":"2"}`, "NaN NaN NaN NaN NaN NaN NaN NaN NaN NaN"},
	}},
	{"decimals", []engineSeries{
		{`{"gpu":"0"}`, "0.5 -0.25 12.125 0 0.000001 71.3 -99.99 3 4 1e3"},
		{`{"gpu":"1"}`, "999999999999999 -999999999999999 0 1 -1 2147483648 -2147483649 4294967296 64 -64"},
		{`{"gpu":"2"}`, "1000000000000000 0 9007199254740991 9007199254740993 1e15 1e16 0 0 0 0"},
		{`{"gpu":"3"}`, "0.999999999999999 0.000000000000001 0.1 0 0 0 0 0 0 0"},
		{`{"gpu":"4"}`, "1000000000 0.000000000000001 0.1 0 0 0 0 0 0 0"},
	}},
	{"large and small values", []engineSeries{
		{`{"gpu":"0"}`, "1.7976931348623157e308 -1.7976931348623157e308 5e-324 -5e-324 2.2250738585072014e-308 2.225073858507201e-308 0 -0 1e21 1e-7"},
		{`{"gpu":"1"}`, "-0 -0 0 -0 0 1 -0 1 0 -0"},
		{`{"gpu":"2"}`, "0.1 0.2 0.30000000000000004 0.3333333333333333 0.6666666666666666 1e22 1e23 123456789012345680 0.1 0.1"},
	}},
	{"random values", randomSeries()},
	{"labels of some", []engineSeries{
		{`{}`, "1 2 3 4 5 6 7 8 9 10"},
		{`{"gpu":"1","room":"Büro \u0007😀 \"a\\b\""}`, "1 2 3 4 5 6 7 8 9 10"},
		{`{"__name__":"up"}`, "1 2 3 4 5 6 7 8 9 ."},
	}},
	{"no labels", []engineSeries{{`{}`, "1 2 3 4 5 6 7 8 9 10"}}},
	{"gaps", []engineSeries{
		{`{"gpu":"0"}`, "1 . 3 . 5 . 7 . 9 ."},
		{`{"gpu":"1"}`, ". 2 . 4 . 6 . 8 . 10"},
		{`{"gpu":"2"}`, ". . . . 5 6 7 8 9 10"},
		{`{"gpu":"3"}`, "1 2 3 . . . . . . ."},
	}},
	{"a gap of all series", []engineSeries{
		{`{"gpu":"0"}`, "1 2 . . . . 7 8 9 10"},
		{`{"gpu":"1"}`, ". 2 . . . . 7 8 9 10"},
	}},
	{"few values of some", []engineSeries{
		{`{"gpu":"0"}`, "1 2 3 4 5 6 7 8 9 10"},
		{`{"gpu":"1"}`, "1 2 3 4 5 6 7 8 9 10"},
		{`{"gpu":"2"}`, ". . . . . . . . . 10"},
		{`{"gpu":"3"}`, "1 2 . . . . . . . ."},
		{`{"gpu":"4"}`, "1 2 3 4 5 6 7 8 9 10"},
		{`{"gpu":"5"}`, "1 2 3 4 5 6 7 8 9 ."},
	}},
}

// randomSeries have values of random bits, and gaps at random.
func randomSeries() []engineSeries {
	random := rand.New(rand.NewPCG(1, 2))
	series := make([]engineSeries, 20)
	for i := range series {
		values := make([]string, 10)
		for step := range values {
			values[step] = strconv.FormatFloat(math.Float64frombits(random.Uint64()), 'g', -1, 64)
			if i >= 10 && random.IntN(4) == 0 {
				values[step] = "."
			}
		}
		series[i] = engineSeries{fmt.Sprintf(`{"gpu":"%d"}`, i), strings.Join(values, " ")}
	}
	return series
}

func TestPack(t *testing.T) {
	type result struct {
		Name   string        `json:"name"`
		Each   []*data.Frame `json:"each"`
		Packed []*data.Frame `json:"packed"`
	}
	var fixture []result
	for _, r := range packedResults {
		t.Run(r.name, func(t *testing.T) {
			c := newEngineOf(t, r.series)
			q := saved{"expr": "m", "range": true, "interval": "1m"}
			if len(fixture)%2 > 0 {
				q["legendFormat"] = "GPU {{gpu}}"
			}
			each := asSent(t, packQuery(t, c, q, false))
			q["packed"] = true
			united := asSent(t, packQuery(t, c, q, false))
			require.Len(t, united, 1)
			if len(r.series) > 0 {
				require.Equal(t, packed.FrameType, united[0].Meta.Type)
				require.Equal(t, 1, united[0].Rows())
			}
			requireSameJSON(t, each, asSent(t, packQuery(t, c, q, true)), "an alert rule")
			fixture = append(fixture, result{r.name, each, united})
		})
	}
	got, err := json.Marshal(fixture)
	require.NoError(t, err)
	if os.Getenv("UPDATE_FIXTURES") != "" {
		require.NoError(t, os.WriteFile(packedFixture, append(got, '\n'), 0o600))
	}
	want, err := os.ReadFile(packedFixture)
	require.NoError(t, err)
	require.JSONEq(t, string(want), string(got))
}

// A table of every series has no packed frames, nor has an instant result.
func TestPack_OtherResults(t *testing.T) {
	clock := newClock()
	c := prom.New(prom.Config{Transport: newTransport(t), Base: newPlatform(t, clock, platform.Config{Nodes: 1}), MinStep: time.Minute, Now: clock.now})
	for _, q := range []saved{
		{"expr": "DCGM_FI_DEV_GPU_UTIL", "instant": true},
		{"expr": "DCGM_FI_DEV_GPU_UTIL", "range": true, "format": "table"},
	} {
		each := packQuery(t, c, q, false)
		require.NotZero(t, each[0].Rows())
		q["packed"] = true
		requireSameJSON(t, each, packQuery(t, c, q, false))
	}
}

func TestPack_NativeHistograms(t *testing.T) {
	c, _ := newHistogramClient(t, cached, 4, true)
	q := saved{"expr": "latency", "range": true, "interval": "1m"}
	each := histogramFrames(t, c, q)
	q["packed"] = true
	got := histogramFrames(t, c, q)
	require.Len(t, got, len(each))
	require.Equal(t, each[0].Fields, got[0].Fields)
	require.Equal(t, each[0].Meta.Type, got[0].Meta.Type)
	samples := promtest.Unpack(t, got[1])
	require.Len(t, samples, 1)
	require.Equal(t, each[1].Fields[0], samples[0].Fields[0])
	require.Equal(t, each[1].Fields[1], samples[0].Fields[1])
}

func requireSameJSON(t *testing.T, want, got data.Frames, what ...any) {
	t.Helper()
	// As slices, because data.Frames writes no commas.
	encodedWant, err := json.Marshal([]*data.Frame(want))
	require.NoError(t, err)
	encodedGot, err := json.Marshal([]*data.Frame(got))
	require.NoError(t, err)
	require.JSONEq(t, string(encodedWant), string(encodedGot), what...)
}

// newEngineOf is a client of an engine whose response to a range of ten steps of one minute until noon has these series.
func newEngineOf(t *testing.T, series []engineSeries) *prom.Client {
	t.Helper()
	list := make([]string, len(series))
	for i, s := range series {
		var values []string
		for step, value := range strings.Fields(s.values) {
			if value != "." {
				values = append(values, fmt.Sprintf(`[%d,%q]`, noon.Add(time.Duration(step-9)*time.Minute).Unix(), value))
			}
		}
		list[i] = fmt.Sprintf(`{"metric":%s,"values":[%s]}`, s.metric, strings.Join(values, ","))
	}
	base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, `{"status":"success","warnings":["a warning"],"data":{"resultType":"matrix","result":[%s]}}`, strings.Join(list, ","))
	}))
	return prom.New(prom.Config{Transport: newTransport(t), Base: base, MinStep: time.Minute, Now: newClock().now})
}

func packQuery(t *testing.T, c *prom.Client, q saved, plain bool) data.Frames {
	t.Helper()
	frames, err := c.QueryData(context.Background(), dataQuery(t, q, noon, 9*time.Minute), plain)
	require.NoError(t, err)
	return frames
}

// asSent are frames after Grafana has received them.
func asSent(t *testing.T, frames data.Frames) data.Frames {
	t.Helper()
	encoded, err := frames.MarshalArrow()
	require.NoError(t, err)
	received, err := data.UnmarshalArrowFrames(encoded)
	require.NoError(t, err)
	return received
}
