package scenes

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/prometheus/prometheus/model/histogram"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
	"github.com/prometheus/prometheus/tsdb/chunks"
	"github.com/prometheus/prometheus/util/annotations"
)

// store has the samples of a scene for the PromQL engine.
type store []Series

// Storage has series in the notation of promqltest, with a sample at each step from a time on.
func Storage(from time.Time, step time.Duration, lines ...string) (storage.Queryable, error) {
	var s Scene
	load := s.load(from.Sub(Start), step)
	for _, line := range lines {
		if err := load(line); err != nil {
			return nil, err
		}
	}
	return store(s.Series), nil
}

// Querier implements storage.Queryable.
func (s store) Querier(from, to int64) (storage.Querier, error) { return querier{s, from, to}, nil }

type querier struct {
	series   store
	from, to int64
}

func (q querier) selected(matchers []*labels.Matcher) []storage.Series {
	var found []storage.Series
	for _, s := range q.series {
		if slices.ContainsFunc(matchers, func(m *labels.Matcher) bool { return !m.Matches(s.Labels.Get(m.Name)) }) {
			continue
		}
		var samples []chunks.Sample
		for _, one := range s.Samples {
			if at := one.At.UnixMilli(); at >= q.from && at <= q.to {
				samples = append(samples, float{at, one.Value})
			}
		}
		if len(samples) > 0 {
			found = append(found, storage.NewListSeries(s.Labels, samples))
		}
	}
	return found
}

func (q querier) Select(_ context.Context, _ bool, _ *storage.SelectHints, matchers ...*labels.Matcher) storage.SeriesSet {
	found := q.selected(matchers)
	slices.SortFunc(found, func(a, b storage.Series) int { return labels.Compare(a.Labels(), b.Labels()) })
	return &seriesSet{series: found, at: -1}
}

func (q querier) LabelNames(_ context.Context, _ *storage.LabelHints, matchers ...*labels.Matcher) ([]string, annotations.Annotations, error) {
	names := map[string]bool{}
	for _, s := range q.selected(matchers) {
		s.Labels().Range(func(l labels.Label) { names[l.Name] = true })
	}
	return slices.Sorted(maps.Keys(names)), nil, nil
}

func (q querier) LabelValues(_ context.Context, name string, _ *storage.LabelHints, matchers ...*labels.Matcher) ([]string, annotations.Annotations, error) {
	values := map[string]bool{}
	for _, s := range q.selected(matchers) {
		if s.Labels().Has(name) {
			values[s.Labels().Get(name)] = true
		}
	}
	return slices.Sorted(maps.Keys(values)), nil, nil
}

func (q querier) Close() error { return nil }

type seriesSet struct {
	series []storage.Series
	at     int
}

func (s *seriesSet) Next() bool                        { s.at++; return s.at < len(s.series) }
func (s *seriesSet) At() storage.Series                { return s.series[s.at] }
func (s *seriesSet) Err() error                        { return nil }
func (s *seriesSet) Warnings() annotations.Annotations { return nil }

// float implements chunks.Sample.
type float struct {
	at    int64
	value float64
}

func (f float) T() int64                      { return f.at }
func (f float) F() float64                    { return f.value }
func (f float) ST() int64                     { return 0 }
func (f float) H() *histogram.Histogram       { return nil }
func (f float) FH() *histogram.FloatHistogram { return nil }
func (f float) Type() chunkenc.ValueType      { return chunkenc.ValFloat }
func (f float) Copy() chunks.Sample           { return f }
