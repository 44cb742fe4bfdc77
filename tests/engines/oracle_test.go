//go:build engines

package engines

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// engineResponse is the response of an engine.
type engineResponse struct {
	httpStatus int
	Status     string `json:"status"`
	ErrorType  string `json:"errorType"`
	Error      string `json:"error"`
	Data       struct {
		ResultType string          `json:"resultType"`
		Result     json.RawMessage `json:"result"`
	} `json:"data"`
}

type resultSeries struct {
	Metric     map[string]string `json:"metric"`
	Value      *point            `json:"value"`
	Values     []point           `json:"values"`
	Histogram  []any             `json:"histogram"`
	Histograms [][]any           `json:"histograms"`
}

// series are the series of a matrix or vector. A scalar is a series without labels.
func (a engineResponse) series(t *testing.T) (all []resultSeries) {
	t.Helper()
	if a.Data.ResultType == "scalar" {
		all = make([]resultSeries, 1)
		decode(t, a.Data.Result, &all[0].Value)
		return all
	}
	decode(t, a.Data.Result, &all)
	return all
}

func decode(t *testing.T, body []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(body, into); err != nil {
		require.NoError(t, err, "%s", body)
	}
}

// raw sends a request to the engine without the plugin and the simulator.
func (e *engine) raw(t *testing.T, path string, params url.Values) (status int, body []byte) {
	t.Helper()
	target := e.address.JoinPath(path)
	target.RawQuery = params.Encode()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, target.String(), nil)
	require.NoError(t, err)
	response, err := direct.Do(r)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	body, err = io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, body
}

func (e *engine) query(t *testing.T, path string, params url.Values) engineResponse {
	t.Helper()
	status, body := e.raw(t, path, params)
	a := engineResponse{httpStatus: status}
	decode(t, body, &a)
	return a
}

// points are samples by series: by the labels, or for a native histogram's bucket by its labels, bounds and layout.
type points map[string][]point

type point struct {
	ms   int64
	bits uint64
}

// UnmarshalJSON reads the time in seconds, and the number as a text.
func (p *point) UnmarshalJSON(body []byte) error {
	at, number, _ := strings.Cut(strings.Trim(string(body), "[]"), ",")
	seconds, err := strconv.ParseFloat(at, 64)
	if err != nil {
		return err
	}
	value, err := strconv.ParseFloat(strings.Trim(number, `"`), 64)
	*p = point{milliseconds(seconds), math.Float64bits(value)}
	return err
}

func milliseconds(seconds float64) int64 { return int64(math.Round(seconds * 1000)) }

func (p point) same(other point, rounding float64) bool {
	if p == other || p.ms != other.ms {
		return p == other
	}
	a, b := math.Float64frombits(p.bits), math.Float64frombits(other.bits)
	return math.Abs(a-b) <= rounding*math.Abs(a)
}

func (p point) String() string {
	return fmt.Sprintf("%v at %s", math.Float64frombits(p.bits), time.UnixMilli(p.ms).UTC().Format("15:04:05.999"))
}

func (p points) samples() int {
	n := 0
	for _, list := range p {
		n += len(list)
	}
	return n
}

func (p points) add(series string, ms int64, value float64) {
	p[series] = append(p[series], point{ms, math.Float64bits(value)})
}

// floats are the samples other than native histograms.
func (a engineResponse) floats(t *testing.T) points {
	t.Helper()
	all := points{}
	for _, s := range a.series(t) {
		values, key := s.Values, seriesKey(s.Metric)
		if s.Value != nil {
			values = append(values, *s.Value)
		}
		if len(values) > 0 {
			all[key] = append(all[key], values...)
		}
	}
	return all
}

// buckets are the buckets of native histograms.
func (a engineResponse) buckets(t *testing.T) points {
	t.Helper()
	all := points{}
	for _, s := range a.series(t) {
		histograms := s.Histograms
		if s.Histogram != nil {
			histograms = append(histograms, s.Histogram)
		}
		for _, h := range histograms {
			require.Len(t, h, 2)
			buckets, _ := h[1].(map[string]any)["buckets"].([]any)
			for _, b := range buckets {
				parts := b.([]any)
				require.Len(t, parts, 4)
				all.add(bucketKey(s.Metric, float(t, parts[1]), float(t, parts[2]), int8(parts[0].(float64))), milliseconds(h[0].(float64)), float(t, parts[3]))
			}
		}
	}
	return all
}

func seriesKey(labels map[string]string) string {
	pairs := make([]string, 0, len(labels))
	for name, value := range labels {
		pairs = append(pairs, strconv.Quote(name)+"="+strconv.Quote(value))
	}
	slices.Sort(pairs)
	return strings.Join(pairs, ",")
}

func bucketKey(labels map[string]string, lower, upper float64, layout int8) string {
	return fmt.Sprintf("%s %v to %v layout %d", seriesKey(labels), lower, upper, layout)
}

func float(t *testing.T, text any) float64 {
	t.Helper()
	number, err := strconv.ParseFloat(text.(string), 64)
	require.NoError(t, err)
	return number
}

// times of a request in Unix seconds, unlike those of the plugin.
func unix(at time.Time) string {
	return strconv.FormatFloat(float64(at.UnixMilli())/1000, 'f', -1, 64)
}

func rangeParams(expr string, start, end time.Time, step time.Duration) url.Values {
	return url.Values{"query": {expr}, "start": {unix(start)}, "end": {unix(end)}, "step": {strconv.FormatFloat(step.Seconds(), 'f', -1, 64)}}
}

func instantParams(expr string, at time.Time) url.Values {
	return url.Values{"query": {expr}, "time": {unix(at)}}
}
