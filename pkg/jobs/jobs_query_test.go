package jobs_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

func TestJobTable_UnreadableRecords(t *testing.T) {
	g := &gateway{jobs: []any{job("good", nil), "a text", nil, 5, []any{}}}
	frames := fetch(t, newClient(t, g), "fineTuningJobs", nil)
	require.Equal(t, []any{"good"}, values(t, frames[0], "job_id"))
	require.Contains(t, notices(frames), "4 records of the gateway's list can't be read")
}

func TestJobTable_Filters(t *testing.T) {
	g := &gateway{jobs: []any{
		job("running", object{"status": "running", "finished_at": nil, "model": "qwen"}),
		job("failed", object{"status": "failed", "error": object{"code": "oom", "message": "out of memory"}}),
		job("yesterday", object{"created_at": ago(48 * time.Hour), "finished_at": ago(25 * time.Hour)}),
		job("long", object{"created_at": ago(48 * time.Hour), "finished_at": ago(23 * time.Hour)}),
		job("tomorrow", object{"status": "queued", "created_at": ago(-time.Hour), "finished_at": nil}),
	}}
	tests := map[string]struct {
		query object
		ids   []any
	}{
		"those that lived within the range": {object{}, []any{"failed", "running", "long"}},
		"all of any time":                   {object{"onlyInRange": false}, []any{"tomorrow", "failed", "running", "long", "yesterday"}},
		"by status":                         {object{"statuses": []string{"failed", "RUNNING"}}, []any{"failed", "running"}},
		"by model":                          {object{"models": []string{"qwen"}}, []any{"running"}},
		"by id":                             {object{"jobIds": []string{"long", "failed"}}, []any{"failed", "long"}},
		"an empty list is all":              {object{"statuses": []string{}, "models": []string{}, "jobIds": []string{}}, []any{"failed", "running", "long"}},
		"Grafana's own word for all":        {object{"jobIds": []string{"$__all"}}, []any{"failed", "running", "long"}},
		"a variable with several values":    {object{"jobIds": []string{"{long,failed}"}}, []any{"failed", "long"}},
		"a text instead of a list":          {object{"jobIds": "long, failed"}, []any{"failed", "long"}},
		"a blank beside a value":            {object{"statuses": []string{" ", "failed"}}, []any{"failed"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, test.ids, values(t, fetch(t, newClient(t, g), "fineTuningJobs", test.query)[0], "job_id"))
		})
	}
	frames := fetch(t, newClient(t, g), "fineTuningJobs", object{"statuses": []string{""}})
	require.Zero(t, frames[0].Rows())
	require.Contains(t, notices(frames), "Status: the variable has no value")
	require.Equal(t, "out of memory", values(t, fetch(t, newClient(t, g), "fineTuningJobs", nil)[0], "error")[0])
}

func TestJobTable_EmptyRange(t *testing.T) {
	g := &gateway{jobs: []any{job("old", object{"created_at": ago(80 * time.Hour), "finished_at": ago(72 * time.Hour)})}}
	frames := fetch(t, newClient(t, g), "fineTuningJobs", nil)
	require.Zero(t, frames[0].Rows())
	require.Contains(t, notices(frames), "This link is to that of the newest, old.")
	from, to := time.Date(2025, 5, 30, 3, 12, 0, 0, time.UTC), time.Date(2025, 5, 30, 12, 48, 0, 0, time.UTC)
	require.Equal(t, fmt.Sprintf("?from=%d&to=%d", from.UnixMilli(), to.UnixMilli()), frames[0].Meta.Notices[0].Link,
		"the job, and a tenth of its length before and after it")
}

func TestJobTable_NoJobList(t *testing.T) {
	g := &gateway{jobs: []any{job("good", nil)}}
	g.handle = func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/v1/fine_tuning/jobs" {
			fail(w, http.StatusNotFound, "no such path")
			return true
		}
		return false
	}
	client := newClient(t, g)
	require.Equal(t, []any{"good"}, values(t, fetch(t, client, "fineTuningJobs", object{"jobIds": []string{"good"}})[0], "job_id"))
	_, err := try(t, client, "fineTuningJobs", nil)
	require.ErrorContains(t, err, "has no list of jobs")
	detailList := []string{"good"}
	for i := range 20 {
		detailList = append(detailList, fmt.Sprint("other-", i))
	}
	frames := fetch(t, client, "fineTuningJobs", object{"jobIds": detailList})
	require.Equal(t, []any{"good"}, values(t, frames[0], "job_id"))
	require.Contains(t, notices(frames), "and 10 more")
}

func TestQuery_Invalid(t *testing.T) {
	client := newClient(t, &gateway{})
	for name, test := range map[string]struct {
		queryType string
		saved     object
		says      string
	}{
		"an unknown format":      {"fineTuningJobs", object{"format": "pie"}, "Format"},
		"an unknown annotation":  {"fineTuningAnnotations", object{"show": []string{"everything"}}, "Show"},
		"an option of some type": {"fineTuningJobs", object{"statuses": 5}, "statuses"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := try(t, client, test.queryType, test.saved)
			var invalid *query.Error
			require.ErrorAs(t, err, &invalid)
			require.ErrorContains(t, err, test.says)
		})
	}
}

// A gateway's own word for a status has the color of the usual one, in tables as in annotations.
func TestJobs_ColorsOfWords(t *testing.T) {
	g := &gateway{jobs: []any{job("a", object{"status": "user_error"}), job("b", object{"status": "RUNNING", "finished_at": nil}), job("c", object{"status": "odd"})}}
	status, _ := fetch(t, newClient(t, g), "fineTuningJobs", nil)[0].FieldByName("status")
	mapping := status.Config.Mappings[0].(data.ValueMapper)
	require.Equal(t, []string{"red", "blue", ""}, []string{mapping["user_error"].Color, mapping["RUNNING"].Color, mapping["odd"].Color})
	field, _ := fetch(t, newClient(t, g), "fineTuningJobs", object{"format": "timeline"})[0].FieldByName("b")
	require.Equal(t, "blue", field.Config.Mappings[0].(data.ValueMapper)["RUNNING"].Color)
}
