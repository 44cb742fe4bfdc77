package prom_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// newPair makes clients of a platform with all endpoints, and of one that serves only the documented ones, whose instant query
// has no parameter but the query.
func newPair(t *testing.T) (full, documented *prom.Client) {
	t.Helper()
	clock := newClock()
	make := func(config platform.Config) *prom.Client {
		config.Nodes, config.GPUsPerNode = 2, 2
		base := newPlatform(t, clock, config)
		return prom.New(prom.Config{Transport: newTransport(t), Base: base, MinStep: time.Minute, Now: clock.now, Cache: cached})
	}
	return make(platform.Config{}), make(platform.Config{SpecOnly: true})
}

func TestDocumentedEndpoints_SameResults(t *testing.T) {
	full, documented := newPair(t)
	for name, test := range map[string]struct {
		query saved
		to    time.Time
	}{
		"range query":                  {saved{"range": true}, noon},
		"instant query, now":           {saved{"instant": true}, noon},
		"instant query, this minute":   {saved{"instant": true}, noon.Add(30 * time.Second)},
		"instant query, in the past":   {saved{"instant": true}, noon.Add(-3*time.Hour - 30*time.Second)},
		"instant query, in the future": {saved{"instant": true}, noon.Add(3 * time.Minute)},
	} {
		t.Run(name, func(t *testing.T) {
			for _, expr := range expressions {
				test.query["expr"] = expr
				want, wantErr := full.QueryData(context.Background(), dataQuery(t, test.query, test.to, time.Hour), true)
				got, err := documented.QueryData(context.Background(), dataQuery(t, test.query, test.to, time.Hour), true)
				require.Equal(t, wantErr == nil, err == nil, "%s: %v, %v", expr, wantErr, err)
				// The order of sort_desc applies to instant queries only.
				slices.SortFunc(want, byLabels)
				slices.SortFunc(got, byLabels)
				if test.to != noon {
					withoutInfos(want, got)
				}
				requireSameFrames(t, want, got)
			}
		})
	}
}

// TestDocumentedEndpoints_TimeOfInstant runs a query of half a minute ago, which the platform evaluates at its own time.
func TestDocumentedEndpoints_TimeOfInstant(t *testing.T) {
	clock := newClock()
	base := newPlatform(t, clock, platform.Config{Nodes: 2, GPUsPerNode: 2, SpecOnly: true})
	clock.set(noon.Add(30 * time.Second))
	for name, cache := range map[string]prom.Cache{"with cache": cached, "without": {}} {
		client := prom.New(prom.Config{Transport: newTransport(t), Base: base, MinStep: time.Minute, Now: clock.now, Cache: cache})
		got, err := client.QueryData(t.Context(), dataQuery(t, saved{"expr": "DCGM_FI_DEV_GPU_UTIL", "instant": true}, noon, time.Hour), false)
		require.NoError(t, err, name)
		require.Len(t, got, 4, name)
		for _, frame := range got {
			require.Equal(t, noon.UTC(), frame.Fields[0].At(0), name)
		}
	}
}

// withoutInfos removes infos: the engine returns more of them for a range query of one step than for an instant query.
func withoutInfos(lists ...data.Frames) {
	for _, frames := range lists {
		for _, frame := range frames {
			var warnings []data.Notice
			for _, notice := range frame.Meta.Notices {
				if notice.Severity != data.NoticeSeverityInfo {
					warnings = append(warnings, notice)
				}
			}
			frame.Meta.Notices = warnings
		}
	}
}

// query_result() of variables uses this resource.
func TestDocumentedEndpoints_InstantResource(t *testing.T) {
	full, documented := newPair(t)
	for _, expr := range []string{`DCGM_FI_DEV_GPU_UTIL{gpu="0"}`, `timestamp(DCGM_FI_DEV_GPU_TEMP)`, `nothing_of_that_name`, `rate(DCGM_FI_DEV_GPU_UTIL[5m])`} {
		for _, at := range []time.Time{noon, noon.Add(-time.Hour)} {
			params := url.Values{"query": {expr}, "time": {at.Format(time.RFC3339)}}
			want, err := full.Query(context.Background(), params)
			require.NoError(t, err)
			got, err := documented.Query(context.Background(), params)
			require.NoError(t, err)
			require.ElementsMatch(t, resultList(t, want), resultList(t, got), "%s at %s", expr, at)
		}
	}
}

// dataOf is the member "data" of a response.
func dataOf(t *testing.T, response *prom.Response) string {
	t.Helper()
	var written bytes.Buffer
	err := response.Write(&written)
	require.NoError(t, err)
	var whole struct{ Data json.RawMessage }
	require.NoError(t, json.Unmarshal(written.Bytes(), &whole))
	return string(whole.Data)
}

// resultList are the series of a response.
func resultList(t *testing.T, response *prom.Response) []any {
	t.Helper()
	var vector struct {
		ResultType string
		Result     []any
	}
	require.NoError(t, json.Unmarshal([]byte(dataOf(t, response)), &vector))
	require.Equal(t, "vector", vector.ResultType)
	return vector.Result
}

func TestDocumentedEndpoints_DerivedLookups(t *testing.T) {
	full, documented := newPair(t)
	for name, end := range map[string]time.Time{"now": noon, "in the past": noon.Add(-2 * time.Hour)} {
		t.Run(name, func(t *testing.T) {
			params := url.Values{"match[]": {`{__name__=~"DCGM_FI_DEV_GPU_.*|training_loss"}`}, "start": {end.Add(-5 * time.Minute).Format(time.RFC3339)}, "end": {end.Format(time.RFC3339)}}
			for _, label := range []string{"__name__", "gpu", "vm_name", "pod_name"} {
				want, err := full.LabelValues(context.Background(), label, params)
				require.NoError(t, err)
				got, err := documented.LabelValues(context.Background(), label, params)
				require.NoError(t, err)
				require.NotEqual(t, `[]`, dataOf(t, got))
				require.JSONEq(t, dataOf(t, want), dataOf(t, got), label)
			}
			want, err := full.LabelNames(context.Background(), params)
			require.NoError(t, err)
			got, err := documented.LabelNames(context.Background(), params)
			require.NoError(t, err)
			require.JSONEq(t, dataOf(t, want), dataOf(t, got))
			series, err := documented.Series(context.Background(), params)
			require.NoError(t, err)
			var labels []map[string]string
			require.NoError(t, json.Unmarshal([]byte(dataOf(t, series)), &labels))
			require.NotEmpty(t, labels)
		})
	}
}
