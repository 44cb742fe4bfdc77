package runs_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/runs"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/promtest"
)

// seriesOf are the edges of a run of each value of a label.
func seriesOf(label string, values ...string) data.Frames {
	frames := manyRuns(len(values), 1)
	for i, frame := range frames {
		frame.Fields[1].Labels = data.Labels{label: values[i/2], "edge_of_run": frame.Fields[1].Labels["edge_of_run"]}
	}
	return frames
}

// Ids that are too long for a query are looked up by several.
func TestBounds_SurveyOfLongNames(t *testing.T) {
	ids := make([]string, 200)
	for i := range ids {
		ids[i] = fmt.Sprintf("%s-%03d", times("x", 76), i)
	}
	e := fleetOfSeries{&engine{value: constant}, promtest.Result(seriesOf("job_id", ids...))}
	source := object{"kind": "series", "expr": "loss", "by": []string{"job_id"}}
	got, err := try(t.Context(), &runs.Client{Metrics: e}, "runs", object{"source": source, "measures": []string{"gpus"}}, true)
	require.NoError(t, err)
	require.NotContains(t, texts(got), "not looked up")
	asked := strings.Join(e.queries, "\n")
	for _, id := range ids {
		require.Contains(t, asked, id)
	}
	for _, expr := range e.queries {
		require.LessOrEqual(t, len(expr), maxQuery)
	}
}

func TestBounds_LongLabelOfSeries(t *testing.T) {
	e := fleetOfSeries{&engine{value: constant}, promtest.Result(seriesOf("pod", "a", times("x", 1025)))}
	saved := object{"source": object{"kind": "series", "expr": "loss", "by": []string{"pod"}}, "measures": []string{}}
	got, err := try(t.Context(), &runs.Client{Metrics: e}, "runs", saved, false)
	require.NoError(t, err)
	pod, _ := got[0].FieldByName("pod")
	require.Equal(t, "a", *pod.At(0).(*string))
	require.True(t, pod.NilAt(1), "it has more bytes than the limit")
}

// A measure whose query is too long for one run is missing there only.
func TestBounds_LongMeasureOfOneRun(t *testing.T) {
	e := fleetOfSeries{&engine{value: constant}, promtest.Result(seriesOf("pod", "a", times("x", 950)))}
	saved := object{
		"source": object{"kind": "series", "expr": `loss{a="` + times("x", 7000) + `"}`, "by": []string{"pod"}}, "measures": []string{"best_loss"},
	}
	got, err := try(t.Context(), &runs.Client{Metrics: e}, "runs", saved, false)
	require.NoError(t, err)
	require.Equal(t, 2, got[0].Rows())
	require.Contains(t, texts(got), "best_loss could not be measured. Measures: with what it says of ")
	_, err = try(t.Context(), &runs.Client{Metrics: e}, "runs", saved, true)
	require.ErrorContains(t, err, "Measures: with what it says of ")
}

// Options at their bounds have a result, and with one entry more an error that names the bound.
func TestBounds_Options(t *testing.T) {
	series, selector := object{"kind": "series", "expr": "loss", "by": []string{"pod"}}, `a="`+times("x", 1996)+`"`
	for name, test := range map[string]struct {
		saved func(n int) object // pod is the pod of the only series, queryType runs unless it says another
		most  int
		want  string
	}{
		"matchers": {func(n int) object {
			return object{"source": byHand(1, ""), "selector": `a="` + times("x", n-4) + `"`, "measures": []string{"gpus"}}
		}, 2000, "the limit of 2000"},
		"an expression with its GPUs": {func(n int) object {
			return object{"queryType": "runComparison", "source": byHand(1, ""), "selector": selector, "expr": times("x{$selector}+", 7) + times("x", n-7*2004)}
		}, 16_000, "has 16001 bytes, and the limit is 16000"},
		"a run's own series": {func(n int) object {
			return object{"queryType": "runComparison", "source": series, "pod": times("x", n-len(`loss{pod=""}`))}
		}, 16_000, "has 16001 bytes, and the limit is 16000"},
		"labels": {func(n int) object {
			return object{"source": object{"kind": "series", "expr": "loss", "by": strings.Split(strings.ReplaceAll(strings.Join(numbered(n), " "), "-", "_"), " ")}}
		}, 10, "there are 11, and the limit is 10"},
		"runs": {func(n int) object { return object{"source": byHand(n, ""), "measures": []string{}} }, 1000, "there are 1001, and the limit is 1000"},
		"a name": {func(n int) object {
			return object{"source": byHand(1, times("x", n-1)), "measures": []string{}}
		}, 256, "has 257 bytes, and the limit is 256"},
		"an expression": {func(n int) object {
			return object{"queryType": "runComparison", "source": byHand(1, ""), "expr": times("x", n)}
		}, 8192, "it has 8193 bytes, and the limit is 8192"},
		"a selector": {func(n int) object {
			return object{"source": byHand(1, ""), "selector": times(" ", n-2) + "{}", "measures": []string{}}
		}, 8192, "it has 8193 bytes, and the limit is 8192"},
	} {
		t.Run(name, func(t *testing.T) {
			said := func(n int) (string, error) {
				saved := test.saved(n)
				queryType, _ := saved["queryType"].(string)
				pod, _ := saved["pod"].(string)
				e := fleetOfSeries{&engine{value: constant}, promtest.Result(seriesOf("pod", pod))}
				frames, err := try(t.Context(), &runs.Client{Metrics: e}, cmp.Or(queryType, "runs"), saved, false)
				if err != nil {
					return err.Error(), err
				}
				return texts(frames), nil
			}
			text, err := said(test.most)
			require.NoError(t, err)
			require.NotContains(t, text, test.want)
			text, _ = said(test.most + 1)
			require.Contains(t, text, test.want)
		})
	}
}

func TestBounds_Annotations(t *testing.T) {
	got, err := try(t.Context(), &runs.Client{}, "runAnnotations", object{"source": byHand(101, "")}, false)
	require.NoError(t, err)
	require.Equal(t, 100, got[0].Rows())
	require.Contains(t, texts(got), "Only the newest 100 of 101 runs are used")
	require.NotContains(t, texts(got), "annotations are drawn")
}
