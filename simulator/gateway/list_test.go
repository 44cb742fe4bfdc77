package gateway_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

const jobs = "fine_tuning/jobs"

func TestJobs_PageSizes(t *testing.T) {
	c := start(t, platform.Config{ExtraJobs: 150})
	whole, _ := c.pages(jobs, "limit=100")
	seen := map[string]bool{}
	for _, j := range whole {
		seen[j.Text("id")] = true
	}
	if len(seen) != len(whole) || len(whole) < 150+30 || len(whole) > 150+130 {
		t.Fatalf("%d jobs, %d different", len(whole), len(seen))
	}
	for _, size := range []int{7, 20} {
		again, pages := c.pages(jobs, fmt.Sprintf("limit=%d", size))
		if len(again) != len(whole) || pages != (len(whole)+size-1)/size+1 {
			t.Errorf("pages of %d: %d jobs on %d pages, want %d", size, len(again), pages, len(whole))
		}
		for i := range min(len(again), len(whole)) {
			if again[i].Text("id") != whole[i].Text("id") {
				t.Fatalf("pages of %d: another order", size)
			}
		}
	}
	if usual := c.get(jobs).List("data"); len(usual) != 20 {
		t.Errorf("%d jobs on a page of usual size", len(usual))
	}
	if slices.IsSortedFunc(whole, func(a, b object) int { return int(a.Number("created_at") - b.Number("created_at")) }) {
		t.Error("jobs are in the order of time")
	}
}

func TestJobs_LastPage(t *testing.T) {
	c := start(t, platform.Config{})
	all, _ := c.pages(jobs, "limit=100")
	last := c.get(jobs + "?after=" + all[len(all)-1].Text("id"))
	if last["has_more"] != true || len(last.List("data")) != 0 {
		t.Errorf("%v", last)
	}
}

func TestCursor_Refused(t *testing.T) {
	c := start(t, platform.Config{})
	for _, path := range []string{
		jobs + "?limit=0", jobs + "?limit=x", jobs + "?after=ftjob-nothing", "files?after=nothing",
		jobs + "/ftjob-0dd0000000000001/events?after=nothing", jobs + "/ftjob-0dd0000000000001/checkpoints?limit=-1",
	} {
		if status, o := c.decode(c.send("GET", path, "", nil)); status != 400 || o.Object("error").Text("param") == "" {
			t.Errorf("%s: %d %v", path, status, o)
		}
	}
}

func TestEdgeCases(t *testing.T) {
	c := start(t, platform.Config{})
	all, _ := c.pages(jobs, "limit=100")
	statuses := map[string]int{}
	for _, j := range all {
		statuses[j.Text("status")]++
		if alone := c.get(jobs + "/" + j.Text("id")); alone.Text("status") != j.Text("status") {
			t.Errorf("%v is listed as %v", alone, j)
		}
	}
	for _, status := range []string{"validating_files", "queued", "pending", "running", "paused", "stopping_soon", "succeeded", "failed", "cancelled"} {
		if statuses[status] == 0 {
			t.Errorf("no job is %s: %v", status, statuses)
		}
	}
	for what, fits := range map[string]func(object) bool{
		"without created_at": func(j object) bool { _, has := j["created_at"]; return !has && len(j) > 2 },
		"finished without finished_at": func(j object) bool {
			at, has := j["finished_at"]
			return j["status"] == "succeeded" && has && at == nil
		},
		"with an empty error":            func(j object) bool { e, is := j["error"].(map[string]any); return is && len(e) == 0 },
		"with an error that is text":     func(j object) bool { _, is := j["error"].(string); return is },
		"with tokens that are text":      func(j object) bool { return j["trained_tokens"] == "many" },
		"with automatic hyperparameters": func(j object) bool { return j.Object("hyperparameters")["n_epochs"] == "auto" },
		"with an estimate of 0":          func(j object) bool { return j["estimated_finish"] == 0.0 },
		"of id and status alone":         func(j object) bool { return len(j) == 2 },
	} {
		if !slices.ContainsFunc(all, fits) {
			t.Errorf("no job %s", what)
		}
	}
}

func TestExtraJobs(t *testing.T) {
	c := start(t, platform.Config{ExtraJobs: 4000})
	all, _ := c.pages(jobs, "limit=100")
	extra := slices.DeleteFunc(all, func(j object) bool { return !strings.HasPrefix(j.Text("id"), "ftjob-be7c") })
	if len(extra) != 4000 {
		t.Fatalf("%d extra jobs", len(extra))
	}
	for i, j := range extra {
		if age := c.now() - int64(j.Number("created_at")); j["finished_at"] == nil || age > 30*24*3600 || age < 3600 {
			t.Fatalf("%v", j)
		}
		if i%500 == 0 {
			if n := len(c.get(jobs + "/" + j.Text("id") + "/checkpoints").List("data")); n != 6 {
				t.Errorf("%v has %d checkpoints", j, n)
			}
		}
	}
}

func TestFiles_NewestFirst(t *testing.T) {
	c := start(t, platform.Config{})
	for i := range 3 {
		c.Wait(1e9)
		if status, f := c.upload("fine-tune", fmt.Sprintf("%d.jsonl", i), "{}"); status != 200 {
			t.Fatal(f)
		}
	}
	newest := c.get("files?limit=2")
	if data := newest.List("data"); len(data) != 2 || data[0]["filename"] != "2.jsonl" || newest["has_more"] != true {
		t.Errorf("%v", newest)
	}
	files, _ := c.pages("files", "limit=4")
	if n := len(files); n < 13 || files[0]["filename"] != "2.jsonl" {
		t.Errorf("%d files: %v", n, files)
	}
	used := map[string]bool{}
	for _, f := range files {
		used[f.Text("id")] = true
	}
	all, _ := c.pages(jobs, "limit=100")
	for _, j := range all {
		if id := j.Text("training_file"); id != "" && !used[id] {
			t.Errorf("%v was trained on a file that isn't there", j)
		}
	}
}
