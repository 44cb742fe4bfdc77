package runs

import (
	"slices"
	"strings"
	"time"
)

const (
	// partMark and partTime tell apart the runs of a series with gaps, in ids.
	partMark = "@@"
	partTime = "2006-01-02T15:04"
)

// choice are ids of runs, indexed once: a run is looked up among them, and not compared with each. The id of a run of a series may
// have a time, which is one within the run that is meant; without one it means the newest run of the series. Case does not count.
type choice struct {
	// whole are all ids.
	whole map[string]bool
	// within are those with a time, by their series.
	within map[string][]idAt
	// seen are the ids of which there was a run.
	seen map[string]bool
}

type idAt struct {
	id string
	at time.Time
}

func newChoice(ids ...string) choice {
	c := choice{map[string]bool{}, map[string][]idAt{}, map[string]bool{}}
	for _, id := range ids {
		id = strings.ToLower(strings.TrimSpace(id))
		if id != "" {
			c.whole[id] = true
		}
		if series, at, ok := cutPart(id); ok {
			c.within[series] = append(c.within[series], idAt{id, at})
		}
	}
	return c
}

// cutPart divides the id of a run of a series that has ended.
func cutPart(id string) (series string, at time.Time, ok bool) {
	if i := strings.LastIndex(id, partMark); i >= 0 {
		at, err := time.Parse(partTime, strings.ToUpper(id[i+len(partMark):]))
		return id[:i], at, err == nil
	}
	return id, at, false
}

func (c *choice) isEmpty() bool { return len(c.whole) == 0 }

// has reports whether a run is meant by an id, or by none because there are none.
func (c *choice) has(r *run) bool {
	if c.isEmpty() {
		return true
	}
	if r.own == nil {
		id := strings.ToLower(r.id)
		c.seen[id] = c.whole[id]
		return c.whole[id]
	}
	series := strings.ToLower(r.series)
	found := r.newest && c.whole[series]
	if found {
		c.seen[series] = true
	}
	for _, one := range c.within[series] {
		if !one.at.Before(r.start.Add(-time.Minute)) && !one.at.After(r.end) {
			c.seen[one.id], found = true, true
		}
	}
	return found
}

// unseen are those of the ids of which there was no run.
func (c *choice) unseen(ids []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return c.seen[strings.ToLower(strings.TrimSpace(id))] })
}
