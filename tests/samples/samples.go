// Package samples has what storages of tests share: a sample, and a storage of which only the selection of series is its own.
package samples

import (
	"context"
	"maps"
	"slices"
	"sort"

	"github.com/prometheus/prometheus/model/histogram"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
	"github.com/prometheus/prometheus/tsdb/chunks"
	"github.com/prometheus/prometheus/util/annotations"
)

// Float is a sample of a number, at a time in Unix milliseconds.
func Float(at int64, value float64) chunks.Sample { return float{at, value} }

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

// Selection is a storage: it selects the series that match and have samples in a range, both ends included.
type Selection func(from, to int64, matchers []*labels.Matcher) []storage.Series

// Series has its samples in the order of time.
type Series struct {
	Labels  labels.Labels
	Samples []chunks.Sample
}

// List is a storage of series.
type List []*Series

// Querier implements storage.Queryable.
func (all List) Querier(from, to int64) (storage.Querier, error) {
	return Selection(all.Within).Querier(from, to)
}

// Within are the series that match, with their samples in a range.
func (all List) Within(from, to int64, matchers []*labels.Matcher) (found []storage.Series) {
	for _, s := range all {
		if slices.ContainsFunc(matchers, func(m *labels.Matcher) bool { return !m.Matches(s.Labels.Get(m.Name)) }) {
			continue
		}
		first := sort.Search(len(s.Samples), func(i int) bool { return s.Samples[i].T() >= from })
		after := sort.Search(len(s.Samples), func(i int) bool { return s.Samples[i].T() > to })
		if first < after {
			found = append(found, storage.NewListSeries(s.Labels, s.Samples[first:after]))
		}
	}
	return found
}

// Querier implements storage.Queryable.
func (s Selection) Querier(from, to int64) (storage.Querier, error) { return querier{s, from, to}, nil }

type querier struct {
	selected Selection
	from, to int64
}

func (q querier) Select(_ context.Context, _ bool, hints *storage.SelectHints, matchers ...*labels.Matcher) storage.SeriesSet {
	from, to := q.from, q.to
	if hints != nil {
		from, to = max(from, hints.Start), min(to, hints.End)
	}
	found := q.selected(from, to, matchers)
	slices.SortFunc(found, func(a, b storage.Series) int { return labels.Compare(a.Labels(), b.Labels()) })
	return &seriesSet{found, -1}
}

func (q querier) LabelNames(_ context.Context, _ *storage.LabelHints, matchers ...*labels.Matcher) ([]string, annotations.Annotations, error) {
	names := map[string]bool{}
	for _, s := range q.selected(q.from, q.to, matchers) {
		s.Labels().Range(func(l labels.Label) { names[l.Name] = true })
	}
	return slices.Sorted(maps.Keys(names)), nil, nil
}

func (q querier) LabelValues(_ context.Context, name string, _ *storage.LabelHints, matchers ...*labels.Matcher) ([]string, annotations.Annotations, error) {
	values := map[string]bool{}
	for _, s := range q.selected(q.from, q.to, matchers) {
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
