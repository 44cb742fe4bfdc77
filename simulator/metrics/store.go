package metrics

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/util/annotations"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

// Retention is how long the platform keeps samples.
const Retention = 30 * 24 * time.Hour

// Store implements storage.Queryable over the scenario. It is safe for concurrent use.
type Store struct {
	labelSets *labelSets
	now       func() time.Time
	columns   []column // by name
	late      int64    // how late samples appear at most, in milliseconds
}

// New makes the store of a platform on which the scenario plays. now is the platform's clock.
func New(st *scenario.Scenario, now func() time.Time) *Store {
	w := newLabelSets(st)
	s := &Store{labelSets: w, now: now}
	for _, f := range w.families() {
		s.columns = append(s.columns, f.columns()...)
	}
	slices.SortFunc(s.columns, func(a, b column) int { return strings.Compare(a.name, b.name) })
	return s
}

// Querier implements storage.Queryable. It reads nothing older than Retention and nothing from the future.
func (s *Store) Querier(mint, maxt int64) (storage.Querier, error) {
	now := s.now().UnixMilli()
	return &querier{s, max(mint, now-Retention.Milliseconds()), min(maxt, now), now}, nil
}

type querier struct {
	*Store
	from, to int64
	now      int64
}

// Close implements storage.Querier.
func (q *querier) Close() error { return nil }

// Select implements storage.Querier. Only series that match are made, and no sample is.
func (q *querier) Select(ctx context.Context, sorted bool, hints *storage.SelectHints, matchers ...*labels.Matcher) storage.SeriesSet {
	from, to := q.from, q.to
	if hints != nil {
		from, to = max(from, hints.Start), min(to, hints.End)
	}
	set := &seriesSet{at: -1}
	if from > to {
		return set
	}
	win := q.labelSets.look(from, to)
	builder := labels.NewScratchBuilder(10)
	for i := range q.columns {
		c := &q.columns[i]
		axes, ok := c.choose(win, matchers)
		if !ok {
			continue
		}
		if set.err = ctx.Err(); set.err != nil {
			return set
		}
		each(axes, func(point []int) {
			if s := q.labelSets.make(c, axes, point, win, &builder); s != nil {
				s.now, s.late = q.now, q.late
				set.series = append(set.series, s)
			}
		})
	}
	if sorted {
		slices.SortFunc(set.series, func(a, b *series) int { return labels.Compare(a.labels, b.labels) })
	}
	return set
}

// choose applies matchers to a column, its name included.
func (c *column) choose(win window, matchers []*labels.Matcher) ([]chosen, bool) {
	for _, m := range matchers {
		if m.Name == model.MetricNameLabel && !m.Matches(c.name) {
			return nil, false
		}
	}
	return c.dimensions.choose(win, matchers)
}

// at makes what is measured at a combination of points.
func (w *labelSets) at(axes []chosen, point []int, win window) *series {
	s := &series{labelSets: w, window: window{from: win.from, to: win.to}, nodes: 1}
	s.identify(entityOf(axes, point))
	for d := range axes {
		axes[d].apply(s, point[d], win)
	}
	return s
}

// make makes the series at a combination of points, or nil if it has no samples in the window.
func (w *labelSets) make(c *column, axes []chosen, point []int, win window, builder *labels.ScratchBuilder) *series {
	s := w.at(axes, point, win)
	s.column = c
	builder.Reset()
	builder.Add(model.MetricNameLabel, c.name)
	for d := range axes {
		values := axes[d].values[point[d]]
		for i, name := range axes[d].names {
			builder.Add(name, values[i])
		}
	}
	if s.firstDue(s.window.from) > s.window.to {
		return nil
	}
	s.setTarget()
	builder.Sort()
	s.labels = builder.Labels()
	return s
}

// seriesSet implements storage.SeriesSet.
type seriesSet struct {
	series []*series
	at     int
	err    error
}

func (s *seriesSet) Next() bool                        { s.at++; return s.err == nil && s.at < len(s.series) }
func (s *seriesSet) At() storage.Series                { return s.series[s.at] }
func (s *seriesSet) Err() error                        { return s.err }
func (s *seriesSet) Warnings() annotations.Annotations { return nil }

// LabelNames implements storage.LabelQuerier.
func (q *querier) LabelNames(_ context.Context, _ *storage.LabelHints, matchers ...*labels.Matcher) ([]string, annotations.Annotations, error) {
	found := map[string]bool{}
	q.eachColumn(matchers, func(_ *column, axes []chosen) {
		found[model.MetricNameLabel] = true
		for _, a := range axes {
			for _, name := range a.names {
				found[name] = true
			}
		}
	})
	return slices.Sorted(maps.Keys(found)), nil, nil
}

// LabelValues implements storage.LabelQuerier.
func (q *querier) LabelValues(_ context.Context, name string, _ *storage.LabelHints, matchers ...*labels.Matcher) ([]string, annotations.Annotations, error) {
	found := map[string]bool{}
	q.eachColumn(matchers, func(c *column, axes []chosen) {
		if name == model.MetricNameLabel {
			found[c.name] = true
		}
		for _, a := range axes {
			if i := slices.Index(a.names, name); i >= 0 {
				for _, point := range a.kept {
					found[a.values[point][i]] = true
				}
			}
		}
	})
	return slices.Sorted(maps.Keys(found)), nil, nil
}

func (q *querier) eachColumn(matchers []*labels.Matcher, fn func(*column, []chosen)) {
	if q.from > q.to {
		return
	}
	win := q.labelSets.look(q.from, q.to)
	for i := range q.columns {
		if axes, ok := q.columns[i].choose(win, matchers); ok {
			fn(&q.columns[i], axes)
		}
	}
}
