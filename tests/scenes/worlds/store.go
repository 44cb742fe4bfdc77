package worlds

import (
	"maps"
	"slices"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/storage"

	"github.com/gpucloud/gpucloud-platform-datasource/tests/samples"
)

// Store has the samples of a world, by the names of metrics.
type Store struct {
	byName map[string]samples.List
	byKey  map[string]map[string]*samples.Series
}

func newStore() *Store {
	return &Store{map[string]samples.List{}, map[string]map[string]*samples.Series{}}
}

func (st *Store) add(key, name string, lb *labels.Builder, at int64, v float64, more ...string) {
	m := st.byKey[key]
	if m == nil {
		m = map[string]*samples.Series{}
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
		s = &samples.Series{Labels: b.Labels()}
		m[id] = s
		st.byName[name] = append(st.byName[name], s)
	}
	s.Samples = append(s.Samples, samples.Float(at, v))
}

// stale ends all series of a key.
func (st *Store) stale(key string, at int64) {
	for _, s := range st.byKey[key] {
		if last := s.Samples[len(s.Samples)-1].T(); last < at {
			s.Samples = append(s.Samples, samples.Float(at, staleNaN))
		}
	}
}

// Querier implements storage.Queryable.
func (st *Store) Querier(from, to int64) (storage.Querier, error) {
	return samples.Selection(st.selected).Querier(from, to)
}

func (st *Store) selected(from, to int64, matchers []*labels.Matcher) []storage.Series {
	var pool samples.List
	named := slices.IndexFunc(matchers, func(m *labels.Matcher) bool { return m.Name == "__name__" && m.Type == labels.MatchEqual })
	if named >= 0 {
		pool = st.byName[matchers[named].Value]
	} else {
		pool = slices.Concat(slices.Collect(maps.Values(st.byName))...)
	}
	return pool.Within(from, to, matchers)
}
