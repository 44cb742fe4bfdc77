//go:build engines

package engines

import (
	"errors"
	"io"
	"maps"
	"math"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/textparse"
	"github.com/prometheus/prometheus/model/value"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
)

// exported parses OpenMetrics as Prometheus does, up to its end.
func exported(t *testing.T, body []byte) points {
	t.Helper()
	require.True(t, strings.HasSuffix(string(body), "# EOF\n"))
	return parsed(t, textparse.NewOpenMetricsParser(body, labels.NewSymbolTable()))
}

func parsed(t *testing.T, parser textparse.Parser) points {
	t.Helper()
	all := points{}
	for {
		entry, err := parser.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		if entry != textparse.EntrySeries {
			continue
		}
		var series labels.Labels
		parser.Labels(&series)
		_, at, v := parser.Series()
		require.NotNil(t, at)
		all.add(seriesKey(series.Map()), *at, v)
	}
}

// export calls the resource for a range, in which all metrics whose names match are exported.
func export(t *testing.T, ds *plugin.Datasource, names string, more url.Values) []byte {
	t.Helper()
	params := url.Values{"match[]": {`{__name__=~"` + names + `"}`}, "start": {unix(samples.from)}, "end": {unix(samples.to)}}
	maps.Copy(params, more)
	status, body := resource(t, ds, "export", params)
	require.Equal(t, http.StatusOK, status, "%s", body)
	return body
}

// floatNames are the metrics without native histograms.
const floatNames = "gpu_.+|requests_total|latency_seconds_bucket|room_temp|odd_values|short_lived|restarted"

// settledNames are the metrics of which an engine answers the same whenever it is asked: VictoriaMetrics makes other blocks of the
// odd values in the background, and gives those of a block one exponent.
func settledNames(e *engine) string {
	if e.name == victoriaName {
		return strings.Replace(floatNames, "|odd_values", "", 1)
	}
	return floatNames
}

// truePoints are the samples that the engines were given of these metrics.
func truePoints() points {
	all := points{}
	for _, s := range samples.series {
		if s.name == "latency" || !slices.ContainsFunc(strings.Split(floatNames, "|"), func(name string) bool {
			return s.name == name || name == "gpu_.+" && (s.name == "gpu_util" || s.name == "gpu_temp")
		}) {
			continue
		}
		of := map[string]string{model.MetricNameLabel: s.name}
		for _, label := range s.labels {
			of[label[0]] = label[1]
		}
		for _, p := range s.samples {
			if math.Float64bits(p.value) != value.StaleNaN {
				all.add(seriesKey(of), p.at.UnixMilli(), p.value)
			}
		}
	}
	return all
}

// stored are the samples that an engine has of these metrics: VictoriaMetrics stores no NaN, and rounds.
func stored(t *testing.T, e *engine, names string) points {
	t.Helper()
	all := points{}
	window := strconv.FormatInt(int64(samples.to.Sub(samples.from).Seconds())+1, 10) + "s"
	for _, name := range strings.Split(names, "|") {
		a := e.query(t, "api/v1/query", url.Values{"query": {`{__name__=~"` + name + `"}[` + window + "]"}, "time": {unix(samples.to)}})
		require.Equal(t, "success", a.Status, a.Error)
		maps.Copy(all, a.floats(t))
	}
	for series, list := range all {
		all[series] = slices.DeleteFunc(list, func(p point) bool { return e.name == victoriaName && math.IsNaN(math.Float64frombits(p.bits)) })
	}
	return all
}

// An export has every sample at its own time, bit for bit, and Prometheus makes blocks of it.
func TestExport_Truth(t *testing.T) {
	onEach(t, func(t *testing.T, e *engine) {
		ds := newDatasource(t, e.address, nil)
		body := export(t, ds, settledNames(e), nil)
		got, want := exported(t, body), stored(t, e, settledNames(e))
		equal(t, e, want, got, "export")
		if e.name == prometheusName {
			equal(t, e, truePoints(), got, "export")
		}
		// Blocks are made of hours, so that a day has enough of them.
		body = export(t, ds, floatNames, url.Values{"start": {unix(samples.to.Add(-9 * time.Hour))}})
		dir := t.TempDir()
		require.NoError(t, createBlocks(t.Context(), dir, body))
		list, err := exec.CommandContext(t.Context(), "promtool", "tsdb", "list", filepath.Join(dir, "data")).CombinedOutput()
		require.NoError(t, err, "%s", list)
		inBlocks := 0
		for _, line := range strings.Split(strings.TrimSpace(string(list)), "\n")[1:] {
			n, err := strconv.Atoi(strings.Fields(line)[4])
			require.NoError(t, err, line)
			inBlocks += n
		}
		require.Equal(t, exported(t, body).samples(), inBlocks)
	})
}

// An archive that was down for a day has, after an export of the day and of an hour before and after it, every sample once.
func TestExport_FillsOutage(t *testing.T) {
	from := samples.from.Add(10 * time.Hour)
	to := from.Add(24 * time.Hour)
	outage := samples
	outage.series = nil
	for _, s := range samples.series {
		s.samples = slices.DeleteFunc(slices.Clone(s.samples), func(p sample) bool { return p.at.After(from) && p.at.Before(to) })
		outage.series = append(outage.series, s)
	}
	onEach(t, func(t *testing.T, whole *engine) {
		names := settledNames(whole)
		body := export(t, newDatasource(t, whole.address, nil), names, url.Values{
			"start": {unix(from.Add(-time.Hour))}, "end": {unix(to.Add(time.Hour))},
		})
		dir := t.TempDir()
		start := startVictoriaMetrics
		if whole.name == prometheusName {
			start = startPrometheus
			require.NoError(t, createBlocks(t.Context(), dir, body))
		}
		filled, err := start(t.Context(), dir, outage)
		require.NoError(t, err)
		t.Cleanup(filled.stop)
		if whole.name == victoriaName {
			require.Less(t, stored(t, filled, names).samples(), stored(t, whole, names).samples())
			require.NoError(t, post(t.Context(), filled.address.JoinPath("api/v1/import/prometheus"), body, nil))
			require.NoError(t, get(t.Context(), filled.address.JoinPath("internal/force_flush")))
		}
		want, got := stored(t, whole, names), stored(t, filled, names)
		equal(t, whole, want, got, "archive")
	})
}

// An export with a step has the values of a range query.
func TestExport_Step(t *testing.T) {
	onEach(t, func(t *testing.T, e *engine) {
		ds := newDatasource(t, e.address, nil)
		start, end, step := samples.to.Add(-6*time.Hour).Truncate(5*time.Minute), samples.to.Truncate(5*time.Minute), 5*time.Minute
		got := exported(t, export(t, ds, "gpu_temp", url.Values{"start": {unix(start)}, "end": {unix(end)}, "step": {"5m"}}))
		equal(t, e, e.query(t, "api/v1/query_range", rangeParams(`gpu_temp`, start, end, step)).floats(t), got, "export with a step")
	})
}

// What /federate has is what the engine's own has: no series that has ended, nor one whose last sample is old.
func TestFederate_SameSamples(t *testing.T) {
	now := time.Now().Truncate(time.Millisecond)
	fresh := dataset{from: now.Add(-20 * time.Minute), to: now.Add(time.Minute)}
	add := func(target string, ago ...time.Duration) {
		s := series{name: "fresh", labels: [][2]string{{"target", target}}}
		for i, d := range ago {
			s.samples = append(s.samples, sample{at: now.Add(-d), value: float64(i) / 3})
		}
		fresh.series = append(fresh.series, s)
	}
	add("up", 130*time.Second, 70*time.Second, 10*time.Second)
	add("late", 4*time.Minute, 3*time.Minute)
	add("old", 8*time.Minute, 6*time.Minute)
	add("ended", 80*time.Second, 20*time.Second)
	ended := fresh.series[3].samples
	ended[1].value = math.Float64frombits(value.StaleNaN)
	onEach(t, func(t *testing.T, e *engine) {
		require.NoError(t, e.write(t.Context(), fresh))
		ds := newDatasource(t, e.address, nil)
		params := url.Values{"match[]": {`fresh`, `{target=~"up|late",job=""}`}}
		status, body := resource(t, ds, "federate", params)
		require.Equal(t, http.StatusOK, status, "%s", body)
		status, own := e.raw(t, "federate", params)
		require.Equal(t, http.StatusOK, status)
		got := federated(t, body)
		require.Len(t, got, 2)
		want := points{}
		for series, list := range federated(t, own) {
			if e.name == victoriaName { // which leaves an empty label out
				series = strings.Replace(series, `"target"`, `"instance"="","target"`, 1)
			}
			want[series] = list
		}
		equal(t, e, want, got, "federate")
	})
}

// federated parses the text format.
func federated(t *testing.T, body []byte) points {
	t.Helper()
	parser := textparse.NewPromParser(body, labels.NewSymbolTable(), false)
	return parsed(t, parser)
}
