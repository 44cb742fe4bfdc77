package worlds

import (
	"context"
	"slices"
	"sort"

	"github.com/prometheus/prometheus/model/histogram"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
	"github.com/prometheus/prometheus/tsdb/chunks"
	"github.com/prometheus/prometheus/util/annotations"
)

type float struct {
	at int64
	v  float64
}

func (f float) T() int64                      { return f.at }
func (f float) F() float64                    { return f.v }
func (f float) ST() int64                     { return 0 }
func (f float) H() *histogram.Histogram       { return nil }
func (f float) FH() *histogram.FloatHistogram { return nil }
func (f float) Type() chunkenc.ValueType      { return chunkenc.ValFloat }
func (f float) Copy() chunks.Sample           { return f }

type series struct {
	labels  labels.Labels
	samples []chunks.Sample
}

// Store has the samples of a world, by the names of metrics.
type Store struct {
	byName map[string][]*series
	byKey  map[string]map[string]*series
}

func newStore() *Store {
	return &Store{map[string][]*series{}, map[string]map[string]*series{}}
}

func (st *Store) add(key, name string, lb *labels.Builder, at int64, v float64, more ...string) {
	m := st.byKey[key]
	if m == nil {
		m = map[string]*series{}
		st.byKey[key] = m
	}
	id := name
	for _, x := range more {
		id += "|" + x
	}
	s := m[id]
	if s == nil {
		b := labels.NewBuilder(lb.Labels())
		b.Set("__name__", name)
		for pair := range slices.Chunk(more, 2) {
			b.Set(pair[0], pair[1])
		}
		s = &series{labels: b.Labels()}
		m[id] = s
		st.byName[name] = append(st.byName[name], s)
	}
	s.samples = append(s.samples, float{at, v})
}

// stale ends all series of a key.
func (st *Store) stale(key string, at int64) {
	for _, s := range st.byKey[key] {
		if last := s.samples[len(s.samples)-1].T(); last < at {
			s.samples = append(s.samples, float{at, staleNaN})
		}
	}
}

// Querier implements storage.Queryable.
func (st *Store) Querier(from, to int64) (storage.Querier, error) { return &querier{st, from, to}, nil }

type querier struct {
	st       *Store
	from, to int64
}

func (q *querier) Select(_ context.Context, _ bool, h *storage.SelectHints, matchers ...*labels.Matcher) storage.SeriesSet {
	var pool []*series
	var rest []*labels.Matcher
	named := false
	for _, m := range matchers {
		if m.Name == "__name__" && m.Type == labels.MatchEqual {
			pool, named = q.st.byName[m.Value], true
		} else {
			rest = append(rest, m)
		}
	}
	if !named {
		for _, p := range q.st.byName {
			pool = append(pool, p...)
		}
	}
	from, to := q.from, q.to
	if h != nil {
		from, to = h.Start, h.End
	}
	var found []storage.Series
	for _, s := range pool {
		if slices.ContainsFunc(rest, func(m *labels.Matcher) bool { return !m.Matches(s.labels.Get(m.Name)) }) {
			continue
		}
		i := sort.Search(len(s.samples), func(i int) bool { return s.samples[i].T() >= from })
		j := sort.Search(len(s.samples), func(i int) bool { return s.samples[i].T() > to })
		if i < j {
			found = append(found, storage.NewListSeries(s.labels, s.samples[i:j]))
		}
	}
	slices.SortFunc(found, func(a, b storage.Series) int { return labels.Compare(a.Labels(), b.Labels()) })
	return &seriesSet{found, -1}
}

func (q *querier) LabelNames(context.Context, *storage.LabelHints, ...*labels.Matcher) ([]string, annotations.Annotations, error) {
	return nil, nil, nil
}

func (q *querier) LabelValues(context.Context, string, *storage.LabelHints, ...*labels.Matcher) ([]string, annotations.Annotations, error) {
	return nil, nil, nil
}
func (q *querier) Close() error { return nil }

type seriesSet struct {
	series []storage.Series
	at     int
}

func (s *seriesSet) Next() bool                        { s.at++; return s.at < len(s.series) }
func (s *seriesSet) At() storage.Series                { return s.series[s.at] }
func (s *seriesSet) Err() error                        { return nil }
func (s *seriesSet) Warnings() annotations.Annotations { return nil }
