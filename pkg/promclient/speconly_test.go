package promclient_test

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// newPair makes clients of a friendly platform and of one that serves only what the specification documents, where an
// instant query has no parameter but the query.
func newPair(t *testing.T) (friendly, strict *promclient.Client) {
	t.Helper()
	clock := newClock()
	make := func(config platform.Config) *promclient.Client {
		config.Nodes, config.GPUsPerNode = 2, 2
		base := newPlatform(t, clock, config)
		return promclient.New(promclient.Config{Transport: newTransport(t), Base: base, MinStep: time.Minute, Now: clock.now, Cache: cached})
	}
	return make(platform.Config{}), make(platform.Config{SpecOnly: true})
}

func TestTheDocumentedEndpointsGiveTheSameAnswers(t *testing.T) {
	friendly, strict := newPair(t)
	for name, test := range map[string]struct {
		query saved
		to    time.Time
	}{
		"a range":                {saved{"range": true}, noon},
		"an instant now":         {saved{"instant": true}, noon},
		"an instant of the past": {saved{"instant": true}, noon.Add(-3*time.Hour - 30*time.Second)},
		"an instant to come":     {saved{"instant": true}, noon.Add(3 * time.Minute)},
	} {
		t.Run(name, func(t *testing.T) {
			for _, expr := range expressions {
				test.query["expr"] = expr
				want, wantErr := friendly.QueryData(context.Background(), dataQuery(t, test.query, test.to, time.Hour), true)
				got, err := strict.QueryData(context.Background(), dataQuery(t, test.query, test.to, time.Hour), true)
				require.Equal(t, wantErr == nil, err == nil, "%s: %v, %v", expr, wantErr, err)
				// A range query has no order, which sort_desc gives an instant query.
				slices.SortFunc(want, byLabels)
				slices.SortFunc(got, byLabels)
				if test.to != noon {
					withoutInfos(want, got)
				}
				same(t, want, got)
			}
		})
	}
}

// withoutInfos removes infos, of which the engine has more for a range query of one step than for an instant query.
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

// TestInstantsOfThePrometheusAPIAreOfTheirTime is about the resource that query_result() of variables uses.
func TestInstantsOfThePrometheusAPIAreOfTheirTime(t *testing.T) {
	friendly, strict := newPair(t)
	for _, expr := range []string{`DCGM_FI_DEV_GPU_UTIL{gpu="0"}`, `timestamp(DCGM_FI_DEV_GPU_TEMP)`, `nothing_of_that_name`, `rate(DCGM_FI_DEV_GPU_UTIL[5m])`} {
		for _, at := range []time.Time{noon, noon.Add(-time.Hour)} {
			params := url.Values{"query": {expr}, "time": {at.Format(time.RFC3339)}}
			want, err := friendly.Query(context.Background(), params)
			require.NoError(t, err)
			got, err := strict.Query(context.Background(), params)
			require.NoError(t, err)
			require.ElementsMatch(t, results(t, want), results(t, got), "%s at %s", expr, at)
		}
	}
}

// results are the series of an answer.
func results(t *testing.T, envelope *promclient.Envelope) []any {
	t.Helper()
	var vector struct {
		ResultType string
		Result     []any
	}
	require.NoError(t, json.Unmarshal(envelope.Data, &vector))
	require.Equal(t, "vector", vector.ResultType)
	return vector.Result
}

func TestListsAreDerivedFromTheDocumentedEndpoints(t *testing.T) {
	friendly, strict := newPair(t)
	for name, end := range map[string]time.Time{"now": noon, "in the past": noon.Add(-2 * time.Hour)} {
		t.Run(name, func(t *testing.T) {
			params := url.Values{"match[]": {`{__name__=~"DCGM_FI_DEV_GPU_.*|training_loss"}`}, "start": {end.Add(-5 * time.Minute).Format(time.RFC3339)}, "end": {end.Format(time.RFC3339)}}
			for _, label := range []string{"__name__", "gpu", "vm_name", "pod_name"} {
				want, err := friendly.LabelValues(context.Background(), label, params)
				require.NoError(t, err)
				got, err := strict.LabelValues(context.Background(), label, params)
				require.NoError(t, err)
				require.NotEqual(t, `[]`, string(got.Data))
				require.JSONEq(t, string(want.Data), string(got.Data), label)
			}
			want, err := friendly.LabelNames(context.Background(), params)
			require.NoError(t, err)
			got, err := strict.LabelNames(context.Background(), params)
			require.NoError(t, err)
			require.JSONEq(t, string(want.Data), string(got.Data))
			series, err := strict.Series(context.Background(), params)
			require.NoError(t, err)
			var labels []map[string]string
			require.NoError(t, json.Unmarshal(series.Data, &labels))
			require.NotEmpty(t, labels)
		})
	}
}
