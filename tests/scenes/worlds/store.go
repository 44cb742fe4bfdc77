package worlds

import (
	"maps"
	"slices"
	"sort"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb/chunks"

	"github.com/gpucloud/gpucloud-platform-datasource/tests/samples"
)

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
	s.samples = append(s.samples, samples.Float(at, v))
}

// stale ends all series of a key.
func (st *Store) stale(key string, at int64) {
	for _, s := range st.byKey[key] {
		if last := s.samples[len(s.samples)-1].T(); last < at {
			s.samples = append(s.samples, samples.Float(at, staleNaN))
		}
	}
}

// Querier implements storage.Queryable.
func (st *Store) Querier(from, to int64) (storage.Querier, error) {
	return samples.Selection(st.selected).Querier(from, to)
}

func (st *Store) selected(from, to int64, matchers []*labels.Matcher) (found []storage.Series) {
	var pool []*series
	named := slices.IndexFunc(matchers, func(m *labels.Matcher) bool { return m.Name == "__name__" && m.Type == labels.MatchEqual })
	if named >= 0 {
		pool = st.byName[matchers[named].Value]
	} else {
		pool = slices.Concat(slices.Collect(maps.Values(st.byName))...)
	}
	for _, s := range pool {
		if !samples.Match(s.labels, matchers) {
			continue
		}
		i := sort.Search(len(s.samples), func(i int) bool { return s.samples[i].T() >= from })
		j := sort.Search(len(s.samples), func(i int) bool { return s.samples[i].T() > to })
		if i < j {
			found = append(found, storage.NewListSeries(s.labels, s.samples[i:j]))
		}
	}
	return found
}
