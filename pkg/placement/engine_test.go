package placement_test

import (
	"context"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/prometheus/prometheus/model/labels"
	upstream "github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb/chunks"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/promtest"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/samples"
)

// engine is Prometheus' engine over series that end now.
type engine struct {
	series  []storage.Series
	queries int
	longest int
}

// Instant evaluates an expression as the client of the metrics does.
func (e *engine) Instant(ctx context.Context, expr string, at time.Time) (*promql.Result, error) {
	e.queries++
	e.longest = max(e.longest, len(expr))
	run, err := upstream.NewEngine(upstream.EngineOpts{MaxSamples: 50_000_000, Timeout: time.Minute}).NewInstantQuery(ctx, samples.Selection(e.selected), nil, expr, at)
	if err != nil {
		return nil, err
	}
	defer run.Close()
	result := run.Exec(ctx)
	vector, err := result.Vector()
	if err != nil {
		return nil, err
	}
	var found data.Frames
	for _, one := range vector {
		found = append(found, data.NewFrame("",
			data.NewField("Time", nil, []time.Time{at}), data.NewField("Value", one.Metric.Map(), []float64{one.F})))
	}
	return promtest.Result(promql.Vector, found), nil
}

// braces matches the first list of words or range of numbers of a series: {a,b} or {0..7}.
var braces = regexp.MustCompile(`\{([\w.-]+(?:,[\w.-]+)+|(\d+)\.\.(\d+))\}`)

// load adds series in the notation of promqltest, with a sample a minute, the last of them now. A word may have several values, as
// in a shell: gpu="{0..7}".
func (e *engine) load(t testing.TB, line string, now time.Time) {
	t.Helper()
	if found := braces.FindStringSubmatchIndex(line); found != nil {
		words := strings.Split(line[found[2]:found[3]], ",")
		if found[4] >= 0 {
			first, _ := strconv.Atoi(line[found[4]:found[5]])
			last, _ := strconv.Atoi(line[found[6]:found[7]])
			words = nil
			for i := first; i <= last; i++ {
				words = append(words, strconv.Itoa(i))
			}
		}
		for _, word := range words {
			e.load(t, line[:found[0]]+word+line[found[1]:], now)
		}
		return
	}
	metric, values, err := parser.NewParser(parser.Options{}).ParseSeriesDesc(line)
	require.NoError(t, err, line)
	var some []chunks.Sample
	for i, value := range values {
		if !value.Omitted {
			some = append(some, samples.Float(now.Add(time.Duration(i-len(values)+1)*time.Minute).UnixMilli(), value.Value))
		}
	}
	e.series = append(e.series, storage.NewListSeries(metric, some))
}

// selected implements samples.Selection.
func (e *engine) selected(_, _ int64, matchers []*labels.Matcher) (found []storage.Series) {
	for _, one := range e.series {
		if samples.Match(one.Labels(), matchers) {
			found = append(found, one)
		}
	}
	return found
}
