package runs

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// spans are the newest runs of label sets. They are limited while they are found, because each sample of a series may be a run, and
// named afterwards.
type spans struct {
	*task
	maxGap, resolution time.Duration
	newest             []run
	// all is how many there are.
	all int
}

// find finds the runs of a label set, oldest first.
func (s *spans) find(set *edges) {
	var current run
	for i, step := range set.last.Times {
		at, ok := slices.BinarySearch(set.first.Times, step)
		if !ok {
			continue
		}
		first, last := seconds(set.first.Values[at]), seconds(set.last.Values[i])
		if first.After(s.end()) {
			continue
		}
		first, last = query.Later(first, s.from), query.Earlier(last, s.end())
		if current.own != nil && first.Sub(current.end) <= s.maxGap {
			current.end = query.Later(current.end, last)
			continue
		}
		s.add(current)
		current = run{series: set.id, own: set.labels, status: statusEnded, start: first, end: last}
	}
	current.newest = true
	s.add(current)
}

// add keeps a run with a sample in the range, if it is one of the newest. It ends a scrape interval after its last sample.
//
// The id of a run that has ended has its end. Its start may be before the range, and would move with it; and a running run has the
// id of the label set, so that the labels of an alert instance stay while it is pending.
func (s *spans) add(r run) {
	if r.own == nil || r.end.Before(s.from) {
		return
	}
	r.last = r.end
	r.end = query.Earlier(r.last.Add(s.resolution), query.Later(s.end(), r.last))
	if r.id = r.series; s.now.Sub(r.last) <= s.maxGap {
		r.running, r.status = true, statusRunning
	}
	if !s.chosen.has(&r) {
		return
	}
	s.all++
	if s.newest = append(s.newest, r); len(s.newest) >= 2*s.needs.Most {
		s.newest = s.task.newest(s.newest)
	}
}

// runs are the newest runs, with their labels and names. has are the labels that any run has.
func (s *spans) runs(has map[string]bool) []run {
	runs := s.task.newest(s.newest)
	for i := range runs {
		r, found := &runs[i], runs[i].own
		if !r.running {
			r.id += partMark + r.last.Format(partTime)
		}
		r.own = map[string]string{}
		for _, name := range s.Source.By.Values {
			if has[name] {
				r.own[name] = found[name] // "" where the series has none: those that have one are of other runs
			}
		}
		r.setLabels(r.own)
		r.label = cmp.Or(strings.Join(s.named(found), " · "), query.Shorten(s.Source.Expr))
		r.name = r.label
	}
	return runs
}

// named are the values of the labels that tell runs apart.
func (t *task) named(labels data.Labels) []string {
	var values []string
	for _, name := range t.Source.By.Values {
		if value := labels[name]; value != "" {
			values = append(values, query.Cut(value, maxRunName))
		}
	}
	return values
}

// seriesID is the id of the runs of a label set, without their ends. It has no comma: lists of ids are separated by those.
func (t *task) seriesID(labels data.Labels) string {
	return cmp.Or(strings.ReplaceAll(strings.Join(t.named(labels), "/"), ",", ";"), "all")
}
