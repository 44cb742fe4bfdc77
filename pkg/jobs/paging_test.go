package jobs_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/jobs"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

func manyJobs(n int) []any {
	all := make([]any, n)
	for i := range all {
		all[i] = job(fmt.Sprintf("job-%05d", i), object{"created_at": ago(time.Duration(i+3601) * time.Second), "finished_at": ago(time.Hour)})
	}
	return all
}

func TestPaging(t *testing.T) {
	t.Run("all pages", func(t *testing.T) {
		g := &gateway{jobs: manyJobs(130), pageSize: 20}
		g.withEmptyDetails()
		client := newClient(t, g)
		require.Equal(t, 130, fetch(t, client, "fineTuningJobs", nil)[0].Rows())
		require.Equal(t, 7, g.calls("fine_tuning/jobs")-g.calls("/events"))
	})
	t.Run("without has_more", func(t *testing.T) {
		g := &gateway{jobs: manyJobs(130), noHasMore: true}
		g.withEmptyDetails()
		require.Equal(t, 130, fetch(t, newClient(t, g), "fineTuningJobs", nil)[0].Rows())
		require.Equal(t, 2, g.calls("fine_tuning/jobs")-g.calls("/events"))
	})
	for refused, calls := range map[string]int{"1000": 3, "1000 100": 5} {
		t.Run("limit refused: "+refused, func(t *testing.T) {
			g := &gateway{jobs: manyJobs(130), pageSize: 50}
			g.handle = func(w http.ResponseWriter, r *http.Request) bool {
				limit := r.URL.Query().Get("limit")
				if limit == "" || !strings.Contains(" "+refused+" ", " "+limit+" ") {
					return false
				}
				fail(w, http.StatusBadRequest, "limit is too large")
				return true
			}
			client := newClient(t, g)
			count := object{"format": "count", "onlyInRange": false}
			require.Equal(t, []any{130.0}, values(t, fetch(t, client, "fineTuningJobs", count)[0], "jobs"))
			require.GreaterOrEqual(t, g.calls("jobs"), calls)
		})
	}
	t.Run("limit refused for a while", func(t *testing.T) {
		refuses, asked := true, ""
		g := &gateway{jobs: manyJobs(10)}
		g.handle = func(w http.ResponseWriter, r *http.Request) bool {
			if !strings.HasSuffix(r.URL.Path, "/fine_tuning/jobs") {
				return false
			}
			asked = r.URL.Query().Get("limit")
			if refuses && asked == "1000" {
				fail(w, http.StatusBadRequest, "limit is too large")
				return true
			}
			return false
		}
		now := &clock{at: noon}
		client := newClient(t, g, func(c *config) { c.Now = now.now })
		count := object{"format": "count", "onlyInRange": false}
		fetch(t, client, "fineTuningJobs", count)
		require.Equal(t, "100", asked)
		refuses = false
		now.advance(time.Minute)
		fetch(t, client, "fineTuningJobs", count)
		require.Equal(t, "100", asked)
		now.advance(5 * time.Minute)
		fetch(t, client, "fineTuningJobs", count)
		require.Equal(t, "1000", asked)
	})
	t.Run("job repeated in two pages", func(t *testing.T) {
		g := &gateway{jobs: []any{job("a", nil), job("b", nil), job("a", nil), job("c", nil)}, pageSize: 3}
		require.Equal(t, []any{"a", "b", "c"}, values(t, fetch(t, newClient(t, g), "fineTuningJobs", nil)[0], "job_id"))
	})
}

// The number of requests for each of these is bounded.
func TestPaging_EndlessLists(t *testing.T) {
	tests := map[string]struct {
		page func(after string, requested int) object
		rows int
		says string
	}{
		"an empty page that promises more": {
			func(after string, _ int) object {
				if after == "" {
					return object{"data": []any{job("a", nil)}, "has_more": true}
				}
				return object{"data": []any{}, "has_more": true}
			}, 1, ""},
		"an empty page before others": {
			func(_ string, requested int) object {
				if requested == 1 {
					return object{"data": []any{}, "has_more": true}
				}
				return object{"data": []any{job("a", nil)}, "has_more": false}
			}, 0, "has more jobs"},
		"an empty page that names where to go on": {
			func(after string, _ int) object {
				if after == "" {
					return object{"data": []any{}, "has_more": true, "last_id": "x"}
				}
				return object{"data": []any{job("a", nil)}, "has_more": false}
			}, 1, ""},
		"the same page again and again": {
			func(string, int) object { return object{"data": []any{job("a", nil), job("b", nil)}, "has_more": true} }, 2, "has more jobs"},
		"records without an id": {
			func(string, int) object { return object{"data": []any{object{"status": "running"}}, "has_more": true} }, 1, "has more jobs"},
		"null for data": {
			func(string, int) object { return object{"data": nil, "has_more": true} }, 0, "has more jobs"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			g := &gateway{events: map[string]any{"a": []any{}, "b": []any{}}}
			g.handle = func(w http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path != "/v1/fine_tuning/jobs" {
					return false
				}
				respond(w, test.page(r.URL.Query().Get("after"), g.calls("fine_tuning/jobs")))
				return true
			}
			client := newClient(t, g)
			frames := fetch(t, client, "fineTuningJobs", object{"onlyInRange": false, "statuses": []string{"running", "succeeded"}})
			require.Equal(t, test.rows, frames[0].Rows())
			require.LessOrEqual(t, g.calls("jobs")-g.calls("/events"), 3)
			_, err := queryData(client, t.Context(), "fineTuningJobs", dataQuery(t, object{"onlyInRange": false}), true)
			if test.says != "" {
				require.Contains(t, notices(frames), test.says)
				require.ErrorContains(t, err, test.says, "an alert rule needs all jobs")
			} else {
				require.Empty(t, notices(frames))
				require.NoError(t, err)
			}
		})
	}
}

// A gateway that ignores the parameter after says of each list that there is more.
func TestPaging_DetailsCut(t *testing.T) {
	newer, older := report("b", time.Hour, 2, 0.5), report("a", 2*time.Hour, 1, 0.9)
	for name, test := range map[string]struct {
		events   []any
		queries  map[string]object
		complete bool // what is missing matters for no number
	}{
		"oldest first": {[]any{older, newer}, map[string]object{
			"fineTuningCurves": nil, "fineTuningEvents": nil, "fineTuningJobs": {"format": "timeline"},
		}, false},
		"newest first": {[]any{newer, older}, map[string]object{"fineTuningEvents": nil, "fineTuningJobs": nil}, true},
	} {
		t.Run(name, func(t *testing.T) {
			more := object{"object": "list", "has_more": true, "data": test.events}
			g := &gateway{
				jobs: []any{job("a", nil)}, events: map[string]any{"a": more},
				checkpoints: map[string]any{"a": object{"object": "list", "has_more": false, "data": []any{}}},
			}
			client := newClient(t, g)
			for queryType, saved := range test.queries {
				require.Contains(t, notices(fetch(t, client, queryType, saved)), "has more events of a job than it lists", queryType)
			}
			for _, alerting := range []bool{false, true} {
				var found query.Notices
				runs, err := client.Runs(t.Context(), jobs.RunFilters{From: noon.Add(-24 * time.Hour), To: noon, Samples: true, Steps: true, Complete: alerting}, &found)
				require.NoError(t, err)
				require.Len(t, runs[0].Samples, 2)
				require.Equal(t, test.complete, found.Incomplete() == nil, "the newest events say what a run does now")
			}
		})
	}
	g := &gateway{files: []any{object{"id": "f"}}}
	g.handle = func(w http.ResponseWriter, _ *http.Request) bool {
		respond(w, object{"has_more": true, "data": g.files})
		return true
	}
	require.Contains(t, notices(fetch(t, newClient(t, g), "trainingFiles", nil)), "has more files than it lists")
}

func TestPaging_NotAList(t *testing.T) {
	for name, body := range map[string]any{"an object": object{"ok": true}, "a number": 3, "data of another type": object{"data": 5}} {
		t.Run(name, func(t *testing.T) {
			g := &gateway{handle: func(w http.ResponseWriter, _ *http.Request) bool { respond(w, body); return true }}
			_, err := try(t, newClient(t, g), "fineTuningJobs", nil)
			require.ErrorIs(t, err, transport.ErrMalformed)
			require.ErrorContains(t, err, "sent something other than a list")
		})
	}
}
