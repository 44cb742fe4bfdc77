package gateway_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

func TestCreatedJob_Statuses(t *testing.T) {
	c := start(t, platform.Config{})
	path := jobs + "/" + c.create("my-model").Text("id")
	var statuses []string
	tokens, named := -1.0, false
	for range 100 {
		j := c.get(path)
		statuses = append(statuses, j.Text("status"))
		if j.Number("trained_tokens") < tokens {
			t.Errorf("trained tokens fall from %g to %g", tokens, j.Number("trained_tokens"))
		}
		tokens = j.Number("trained_tokens")
		succeeded := j["status"] == "succeeded"
		if (j["finished_at"] != nil) != succeeded || (j["estimated_finish"] != nil) == succeeded {
			t.Errorf("%v", j)
		}
		if succeeded && j["fine_tuned_model"] == nil {
			named = true // that comes later
		}
		c.Wait(time.Second)
	}
	if got := strings.Join(slices.Compact(statuses), " "); got != "validating_files queued running succeeded" || !named || tokens <= 0 {
		t.Errorf("%s; %g tokens; unnamed at first: %t", got, tokens, named)
	}
	done := c.get(path)
	if model := done.Text("fine_tuned_model"); !strings.HasPrefix(model, "ft:Qwen/Qwen3-4B:my-model:") {
		t.Errorf("model %q", model)
	}
	if took := done.Number("finished_at") - done.Number("created_at"); took < 89 || took > 91 {
		t.Errorf("took %g s", took)
	}
	if n := len(c.get(path + "/checkpoints").List("data")); n != 4 {
		t.Errorf("%d checkpoints", n)
	}
}

func TestCreatedJob_Duration(t *testing.T) {
	c := start(t, platform.Config{JobDuration: 500 * time.Millisecond})
	path := jobs + "/" + c.create("").Text("id")
	c.Wait(time.Second)
	if j := c.get(path); j["status"] != "succeeded" || j["suffix"] != nil || len(c.get(path+"/checkpoints").List("data")) != 4 {
		t.Errorf("%v", j)
	}
}

func TestCreateJob_Refused(t *testing.T) {
	c := start(t, platform.Config{})
	_, file := c.upload("fine-tune", "a.jsonl", "{}")
	fine := func() object {
		return object{"model": "Qwen/Qwen3-4B", "training_file": file.Text("id"), "method": object{"type": "supervised"}}
	}
	for param, change := range map[string]func(o object){
		"":                func(object) {},
		"model":           func(o object) { o["model"] = "openai/gpt-oss-120b" },
		"training_file":   func(o object) { o["training_file"] = "file-nothing" },
		"validation_file": func(o object) { o["validation_file"] = "file-nothing" },
		"method.type":     func(o object) { o["method"] = object{"type": "dpo"} },
	} {
		request := fine()
		change(request)
		status, o := c.post(jobs, request)
		if param == "" && status != 200 || param != "" && (status < 400 || status > 404 || o.Object("error").Text("param") != param) {
			t.Errorf("%s: %d %v", param, status, o)
		}
	}
	if response := c.send("POST", jobs, "application/json", strings.NewReader("{")); response.StatusCode != 400 {
		t.Errorf("a cut body: status %d", response.StatusCode)
	}
}

func TestCheckpoints_LossFalls(t *testing.T) {
	c := start(t, platform.Config{})
	path := jobs + "/" + c.create("learning").Text("id")
	c.Wait(2 * time.Minute)
	data := c.get(path + "/checkpoints").List("data")
	for i := 1; i < len(data); i++ {
		newer, older := data[i-1], data[i]
		for _, name := range []string{"train_loss", "valid_loss", "full_valid_loss"} {
			if a, b := older.Object("metrics").Number(name), newer.Object("metrics").Number(name); !(b < a && b > 0) {
				t.Errorf("%s goes from %g to %g", name, a, b)
			}
		}
		if newer.Number("step_number") <= older.Number("step_number") || newer.Number("created_at") < older.Number("created_at") {
			t.Errorf("%v comes before %v", newer, older)
		}
	}
	if two := c.get(path + "/checkpoints?limit=2"); len(two.List("data")) != 2 || two["has_more"] != true {
		t.Errorf("%v", two)
	}
}

func TestCurves_GrowWhileAJobRuns(t *testing.T) {
	c := start(t, platform.Config{})
	path := jobs + "/" + c.create("curved").Text("id") + "/metrics"
	loss := func() []object {
		for _, m := range c.get(path).List("metrics") {
			if m["metric_name"] == "loss" {
				return m.List("data")
			}
		}
		t.Fatal("no curve is called loss")
		return nil
	}
	if n := len(loss()); n != 0 {
		t.Errorf("%d points before it started", n)
	}
	c.Wait(50 * time.Second)
	half := loss()
	c.Wait(50 * time.Second)
	whole := loss()
	if len(half) < 10 || len(whole) < len(half)+10 || half[0].Number("value") != whole[0].Number("value") {
		t.Fatalf("%d, then %d points", len(half), len(whole))
	}
	if last := whole[len(whole)-1]; last.Number("value") > 0.8*whole[0].Number("value") || last.Number("timestamp") > float64(c.now()) || last.Number("step") == 0 {
		t.Errorf("from %v to %v", whole[0], last)
	}
}

func TestDivergingJob(t *testing.T) {
	c := start(t, platform.Config{})
	const path = jobs + "/ftjob-0dd0000000000002"
	j := c.get(path)
	data := c.get(path + "/checkpoints").List("data")
	if last, first := data[0].Object("metrics").Number("train_loss"), data[len(data)-1].Object("metrics").Number("train_loss"); last < 2*first {
		t.Errorf("its loss goes from %g to %g", first, last)
	}
	events, _ := c.pages(path+"/events", "limit=7")
	missing := slices.ContainsFunc(events, func(e object) bool {
		_, has := e.Object("data")["train_loss"]
		return e["type"] == "metrics" && !has
	})
	if j["status"] != "failed" || j.Object("error").Text("code") != "training_diverged" || !missing {
		t.Errorf("%v; an event without a loss: %t", j, missing)
	}
}

func TestEvents_OfACreatedJob(t *testing.T) {
	c := start(t, platform.Config{})
	id := c.create("events").Text("id")
	path := jobs + "/" + id + "/events"
	if n := len(c.get(path).List("data")); n != 1 {
		t.Errorf("%d events of a new job", n)
	}
	c.Wait(2 * time.Minute)
	events, pages := c.pages(path, "")
	if pages != 2 || slices.IsSortedFunc(events, func(a, b object) int { return int(b.Number("created_at") - a.Number("created_at")) }) {
		t.Errorf("%d pages of events, or they are in the order of time", pages)
	}
	slices.SortStableFunc(events, func(a, b object) int { return int(a.Number("created_at") - b.Number("created_at")) })
	var messages []string
	for _, e := range events {
		if e["type"] == "metrics" {
			if math.IsNaN(e.Object("data").Number("train_loss")) || e.Object("data").Number("step") == 0 {
				t.Errorf("%v", e)
			}
			continue
		}
		messages = append(messages, strings.Fields(e.Text("message"))[0])
	}
	if got := strings.Join(slices.Compact(messages), " "); got != "Created Validating Files Fine-tuning Checkpoint The New" {
		t.Error(got)
	}
	ids := map[string]bool{}
	for _, e := range events {
		ids[e.Text("id")] = true
	}
	if len(ids) != len(events) {
		t.Errorf("%d ids of %d events", len(ids), len(events))
	}
}

func TestJobs_CreatedAndReadConcurrently(t *testing.T) {
	c := start(t, platform.Config{JobDuration: time.Minute})
	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() {
			id := c.create(fmt.Sprintf("at-once-%d", i)).Text("id")
			c.Wait(10 * time.Second)
			for range 3 {
				c.get(jobs + "/" + id)
				c.pages(jobs, "limit=50")
				c.measure(`avg by (nodepool_name) (rate(DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION[5m]))`)
			}
		})
	}
	group.Wait()
}
