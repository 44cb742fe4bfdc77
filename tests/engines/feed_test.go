//go:build engines

package engines

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/textparse"
	"github.com/prometheus/prometheus/model/value"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/tests/datasource"
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

// floatNames are the metrics without native histograms.
const floatNames = "gpu_.+|requests_total|latency_seconds_bucket|room_temp|odd_values|short_lived|restarted"

// settledNames are the metrics of which an engine has the same samples at any time: VictoriaMetrics makes other blocks of the
// odd values in the background, and gives those of a block one exponent.
func settledNames(e *engine) string {
	if e.name == victoriaName {
		return strings.Replace(floatNames, "|odd_values", "", 1)
	}
	return floatNames
}

// stored are the samples that an engine has of these metrics, but NaN: VictoriaMetrics stores none, and rounds.
func stored(t *testing.T, e *engine, names string) points {
	t.Helper()
	all := points{}
	window := model.Duration(samples.to.Sub(samples.from) + time.Second)
	for _, name := range strings.Split(names, "|") {
		result, _, err := e.api(t).Query(t.Context(), fmt.Sprintf(`{__name__=~"%s"}[%s]`, name, window), samples.to)
		require.NoError(t, err)
		maps.Copy(all, floatsIn(result))
	}
	for series, list := range all {
		all[series] = slices.DeleteFunc(list, func(p point) bool { return math.IsNaN(math.Float64frombits(p.bits)) })
	}
	return all
}

// An export has every sample but NaN at its own time, bit for bit, as Prometheus' parser reads it.
func TestExport_SameSamples(t *testing.T) {
	onEach(t, func(t *testing.T, e *engine) {
		names := settledNames(e)
		params := url.Values{"match[]": {`{__name__=~"` + names + `"}`}, "start": {unix(samples.from)}, "end": {unix(samples.to)}}
		equal(t, e, stored(t, e, names), exported(t, datasource.Get(t, newDatasource(t, e.address), "export", params)), "export")
	})
}

// What /federate has is what the engine's own has: no series that has ended, nor one whose last sample is old.
func TestFederate_SameSamples(t *testing.T) {
	now := time.Now().Truncate(time.Millisecond)
	fresh := dataset{from: now.Add(-20 * time.Minute), to: now.Add(time.Minute)}
	add := func(target string, ago ...time.Duration) {
		s := series{labels: named("fresh", "target", target)}
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
		ds := newDatasource(t, e.address)
		params := url.Values{"match[]": {`fresh`, `{target=~"up|late",job=""}`}}
		at := e.address.JoinPath("federate")
		at.RawQuery = params.Encode()
		own, err := get(t.Context(), at)
		require.NoError(t, err)
		got := exported(t, datasource.Get(t, ds, "federate", params))
		require.Len(t, got, 2)
		want := points{}
		for series, list := range parsed(t, textparse.NewPromParser(own, labels.NewSymbolTable(), false)) {
			if e.name == victoriaName { // which leaves an empty label out
				series = strings.Replace(series, `"target"`, `"instance"="","target"`, 1)
			}
			want[series] = list
		}
		equal(t, e, want, got, "federate")
	})
}
