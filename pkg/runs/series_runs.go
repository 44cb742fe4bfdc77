package runs

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// span is a run of a label set, from its first sample to its last.
type span struct {
	set        *edges
	start, end time.Time
	// last is true for the last run of the label set.
	last bool
}

// spans are the newest runs of label sets. They are limited while they are found, because each sample of a series may be a run, and
// made of labels afterwards.
type spans struct {
	*task
	maxGap, resolution time.Duration
	newest             []span
	// compared is the run that the query compares with, if there is one.
	compared span
	// all is how many there are.
	all int
}

// find finds the runs of a label set, oldest first.
func (s *spans) find(set *edges) {
	var current span
	for i, step := range set.last.Times {
		began, ok := set.firstBefore(step)
		first, last := seconds(began), seconds(set.last.Values[i])
		if !ok || first.After(s.end()) {
			continue
		}
		first, last = query.Later(first, s.from), query.Earlier(last, s.end())
		if current.set != nil && first.Sub(current.end) <= s.maxGap {
			current.end = query.Later(current.end, last)
			continue
		}
		s.add(current)
		current = span{set: set, start: first, end: last}
	}
	current.last = true
	s.add(current)
}

// add keeps a run with a sample in the range, if it is one of the newest.
func (s *spans) add(one span) {
	if one.set == nil || one.end.Before(s.from) {
		return
	}
	r := s.timed(one)
	if !s.chosen.has(&r) {
		return
	}
	s.all++
	if s.isBaseline(r) {
		s.compared = one
	}
	if s.newest = append(s.newest, one); len(s.newest) >= 2*s.most {
		s.limit()
	}
}

// limit leaves out the oldest runs. Of those that began before the range, which have the same start, the longest stay.
func (s *spans) limit() {
	slices.SortFunc(s.newest, func(a, b span) int {
		return cmp.Or(b.start.Compare(a.start), b.end.Compare(a.end), strings.Compare(a.set.id, b.set.id))
	})
	s.newest = s.newest[:min(len(s.newest), s.most)]
}

// runs are the newest runs, and the baseline.
func (s *spans) runs() []run {
	s.limit()
	if s.compared.set != nil && !slices.Contains(s.newest, s.compared) {
		s.newest = append(s.newest, s.compared)
	}
	runs := make([]run, len(s.newest))
	for i, one := range s.newest {
		runs[i] = s.run(one)
	}
	return s.task.newest(runs)
}

// timed is the run of a span without its labels. It ends a scrape interval after its last sample.
func (s *spans) timed(one span) run {
	r := run{series: one.set.id, own: one.set.labels, newest: one.last, start: one.start, status: statusEnded}
	if s.now.Sub(one.end) <= s.maxGap {
		r.running, r.status = true, statusRunning
	}
	r.end = query.Earlier(one.end.Add(s.resolution), query.Later(s.end(), one.end))
	return r
}

// run is the run of a span.
//
// The id of a run that has ended has its end. Its start may be before the range, and would move with it; and a running run has the
// id of the label set, so that the labels of an alert instance stay while it is pending.
func (s *spans) run(one span) run {
	r := s.timed(one)
	if r.id = r.series; !r.running {
		r.id += partMark + one.end.Format(partTime)
	}
	r.own = map[string]string{}
	for _, name := range s.Source.By.Values {
		if value := one.set.labels[name]; value != "" {
			r.own[name] = value
		}
	}
	r.setLabels(r.own)
	r.label = cmp.Or(strings.Join(s.named(one.set.labels), " · "), query.Shorten(s.Source.Expr))
	r.name = r.label
	return r
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
