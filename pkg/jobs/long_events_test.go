package jobs_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/jobs"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// steps are the reports of steps from one to another, a second each, of which 12,000 are until noon.
func steps(from, to int) []any {
	var all []any
	for step := from; step <= to; step++ {
		all = append(all, report(fmt.Sprint("e", step), time.Duration(12000-step)*time.Second, step, 0.5))
	}
	return all
}

// A job makes more steps than are read of it at once. What was read is not read again, and the newest are always known.
func TestEvents_OfALongJob(t *testing.T) {
	for name, newestFirst := range map[string]bool{"oldest first": false, "newest first": true} {
		t.Run(name, func(t *testing.T) {
			order := func(events []any) []any {
				events = append([]any{object{"id": "start", "created_at": ago(13000 * time.Second), "message": "Fine-tuning job started"}}, events...)
				if newestFirst {
					slices.Reverse(events)
				}
				return events
			}
			g := &gateway{
				jobs: []any{job("a", object{"status": "running", "finished_at": nil})}, checkpoints: map[string]any{"a": []any{}},
				events: map[string]any{"a": order(steps(1, 11000))}, pageSize: 1000,
			}
			now := &clock{at: noon}
			client := newClient(t, g, ticking(now))
			var start time.Time
			read := func() (first, last float64, requests int, lacksNewest, complete bool) {
				now.advance(20 * time.Second)
				before := g.calls("/events")
				var found query.Notices
				runs, err := client.Runs(t.Context(), jobs.RunFilters{From: noon.Add(-24 * time.Hour), To: noon, Samples: true, Steps: true}, &found)
				require.NoError(t, err)
				start = runs[0].Start
				all := runs[0].Steps
				require.LessOrEqual(t, len(all), 5000)
				return all[0].Step, all[len(all)-1].Step, g.calls("/events") - before, runs[0].LacksNewest, found.Incomplete() == nil
			}
			first, last, requests, lacksNewest, complete := read()
			require.Equal(t, 5, requests)
			require.Equal(t, !newestFirst, lacksNewest)
			require.Equal(t, newestFirst, complete, "the newest events say what a run does now")
			if !newestFirst {
				require.Equal(t, []float64{1, 4999}, []float64{first, last})
				first, last, requests, lacksNewest, _ = read()
				require.Equal(t, []float64{5000, 9999}, []float64{first, last})
				require.Equal(t, 6, requests, "it goes on where it ended")
				require.True(t, lacksNewest)
				_, _, requests, _, _ = read()
				require.Equal(t, 2, requests)
			}
			g.events["a"] = order(steps(1, 11050))
			first, last, requests, lacksNewest, complete = read()
			require.Equal(t, []float64{6051, 11050}, []float64{first, last})
			require.Equal(t, 1, requests)
			require.False(t, lacksNewest)
			require.True(t, complete)
			if !newestFirst {
				require.Equal(t, ago(13000*time.Second), start.Unix())
			}
		})
	}
}

// Also of a job that ended the newest events are read.
func TestEvents_OfALongJobThatEnded(t *testing.T) {
	g := &gateway{jobs: []any{job("a", nil)}, checkpoints: map[string]any{"a": []any{}}, events: map[string]any{"a": steps(1, 8000)}}
	now := &clock{at: noon}
	client := newClient(t, g, ticking(now))
	for _, test := range []struct {
		last     float64
		requests int
	}{{5000, 5}, {8000, 4}, {8000, 0}} {
		now.advance(20 * time.Second)
		before := g.calls("/events")
		runs, err := client.Runs(t.Context(), jobs.RunFilters{From: noon.Add(-24 * time.Hour), To: noon, Samples: true, Steps: true}, &query.Notices{})
		require.NoError(t, err)
		require.Equal(t, test.last, runs[0].Steps[len(runs[0].Steps)-1].Step)
		require.Equal(t, test.requests, g.calls("/events")-before)
	}
}

// Events that were written late stand before others that were read, and in lists without an order anywhere.
func TestEvents_WrittenLate(t *testing.T) {
	newestFirst := func(events []any) []any {
		slices.Reverse(events)
		return events
	}
	for name, test := range map[string]struct{ before, now []any }{
		"oldest first": {slices.Concat(steps(1, 190), steps(192, 210)), steps(1, 210)},
		"newest first": {newestFirst(slices.Concat(steps(1, 190), steps(192, 210))), newestFirst(steps(1, 210))},
		"in no order":  {slices.Concat(steps(100, 210), steps(2, 99)), slices.Concat(steps(100, 210), steps(2, 99), steps(1, 1))},
	} {
		t.Run(name, func(t *testing.T) {
			g := &gateway{
				jobs: []any{job("a", object{"status": "running", "finished_at": nil})}, checkpoints: map[string]any{"a": []any{}},
				events: map[string]any{"a": test.before}, pageSize: 10,
			}
			now := &clock{at: noon}
			client := newClient(t, g, ticking(now))
			require.Equal(t, 209, fetch(t, client, "fineTuningEvents", nil)[0].Rows())
			g.events["a"] = test.now
			now.advance(20 * time.Second)
			require.Equal(t, 210, fetch(t, client, "fineTuningEvents", nil)[0].Rows())
		})
	}
}

// A gateway that deletes events does not know where to go on.
func TestEvents_Deleted(t *testing.T) {
	for _, status := range []int{http.StatusBadRequest, http.StatusNotFound} {
		g := &gateway{jobs: []any{job("a", object{"status": "running", "finished_at": nil})}, events: map[string]any{"a": steps(1, 210)}}
		g.handle = func(w http.ResponseWriter, r *http.Request) bool {
			after := r.URL.Query().Get("after")
			if !strings.HasSuffix(r.URL.Path, "/events") || after == "" {
				return false
			}
			fail(w, status, "no such event")
			return true
		}
		now := &clock{at: noon}
		client := newClient(t, g, ticking(now))
		require.Equal(t, 210, fetch(t, client, "fineTuningEvents", nil)[0].Rows())
		g.events["a"] = steps(300, 400)
		now.advance(20 * time.Second)
		require.Equal(t, 101, fetch(t, client, "fineTuningEvents", nil)[0].Rows())
	}
}
