package runs

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend/gtime"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// manualRun is a run given by hand.
type manualRun struct {
	Name string `json:"name"`
	From string `json:"from"`
	To   string `json:"to"`
}

const maxManualRuns = 1000

// checkManual checks the bounds of runs given by hand.
func (s *sourceModel) checkManual() error {
	if err := query.AtMost("Runs", "there are %d", len(s.Runs), maxManualRuns); err != nil {
		return err
	}
	for _, given := range s.Runs {
		if len(given.Name) > maxRunName {
			return &query.Error{Field: "Runs", Message: fmt.Sprintf("the name %s has %d bytes, and the limit is %d.", query.Shorten(given.Name), len(given.Name), maxRunName)}
		}
	}
	return nil
}

// manualRuns are the runs given by hand that have started.
func (t *task) manualRuns(context.Context) ([]run, error) {
	var runs []run
	named := map[string]int{} // by id, in lower case
	for i, given := range t.Source.Runs {
		name := strings.TrimSpace(given.Name)
		if name == "" {
			name = fmt.Sprintf("Run %d", i+1)
		}
		written := strings.ReplaceAll(name, ",", ";") // lists of ids are separated by commas
		id, same := written, strings.ToLower(written)
		for named[strings.ToLower(id)] > 0 {
			named[same]++
			id = fmt.Sprintf("%s (%d)", written, named[same])
		}
		named[strings.ToLower(id)]++
		r := run{id: id, name: name, label: name, status: statusEnded, labels: map[string]string{"name": name}}
		if !t.chosen.has(&r) {
			continue
		}
		var err error
		if r.start, err = t.parseTime("start", name, given.From); err != nil {
			return nil, err
		}
		if r.end = t.now.UTC(); strings.TrimSpace(given.To) == "" {
			r.running, r.status = true, statusRunning
		} else if r.end, err = t.parseTime("end", name, given.To); err != nil {
			return nil, err
		}
		if !r.running && !r.end.After(r.start) {
			return nil, &query.Error{Field: "Runs", Message: fmt.Sprintf("%s ends before it starts.", query.Shorten(name))}
		}
		if r.end.After(t.now) {
			r.end, r.running, r.status = t.now.UTC(), true, statusRunning
		}
		if !r.end.After(r.start) {
			t.notices.Info("%s has not started yet.", query.Shorten(name))
			continue
		}
		runs = append(runs, r)
	}
	if len(t.Source.Runs) == 0 {
		t.notices.Info("No run is given. Add one with a name, a start and an end.")
	}
	t.explainCut(len(runs))
	return t.newest(runs), nil
}

// parseTime reads a time as dashboards write it: RFC 3339, a date, seconds or milliseconds since 1970, now or now-6h.
func (t *task) parseTime(which, name, text string) (time.Time, error) {
	text = strings.TrimSpace(text)
	if since, isRelative := strings.CutPrefix(text, "now"); isRelative {
		if since == "" {
			return t.now.UTC(), nil
		}
		if ago, err := gtime.ParseDuration(strings.TrimPrefix(since, "-")); err == nil && strings.HasPrefix(since, "-") {
			return t.now.Add(-ago).UTC(), nil
		}
	}
	if at, ok := query.ParseTime(text); ok {
		return at, nil
	}
	return time.Time{}, &query.Error{Field: "Runs", Message: fmt.Sprintf(
		"the %s of %s, %q, is not a time. Write for example 2026-03-01T08:00:00Z, 2026-03-01 08:00 (UTC) or now-6h.", which, query.Shorten(name), query.Shorten(text))}
}
