package tuning

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// Checkpoint is a state of the model's weights, saved during a job. Its id is also that of the file to download.
type Checkpoint struct {
	ID      string
	Step    *float64
	Created *time.Time
	// Model is the name under which the checkpoint can be deployed.
	Model string
	// Metrics are the metrics of the checkpoint, without its step.
	Metrics map[string]float64
}

func parseCheckpoint(r record) Checkpoint {
	metrics := r.object("metrics")
	c := Checkpoint{
		ID:      r.id("id"),
		Step:    r.number("step_number"),
		Created: r.time("created_at"),
		Model:   r.text("fine_tuned_model_checkpoint"),
		Metrics: metrics.measurements(),
	}
	if c.Step == nil {
		c.Step = metrics.number("step")
	}
	return c
}

// counters are members of a set of metrics that are the progress of the job, and not results.
var counters = []string{"step", "step_number", "current_step", "total_steps", "epoch", "created_at", "timestamp", "time"}

// measurements are the members with numbers, without counters.
func (r record) measurements() map[string]float64 {
	values := map[string]float64{}
	for name := range r {
		if n := r.number(name); n != nil && !slices.Contains(counters, name) {
			values[name] = *n
		}
	}
	return values
}

// Event is an event of a job.
type Event struct {
	ID      string
	Created *time.Time
	// Level is "info", "warn" or "error"; others are kept.
	Level   string
	Message string
	Type    string
	// Status is the job's new status, or "".
	Status string
	Step   *float64
	// TotalSteps is how many steps the job will make.
	TotalSteps *float64
	// Metrics are those of an event of the type metrics.
	Metrics map[string]float64
}

func parseEvent(r record) Event {
	details := r.object("data")
	e := Event{
		ID:      r.id("id"),
		Created: r.time("created_at"),
		Level:   strings.ToLower(r.text("level")),
		Message: r.text("message"),
		Type:    r.text("type"),
		Step:    details.number("step", "step_number", "current_step"),

		TotalSteps: details.number(totalSteps),
	}
	if e.Type == "metrics" {
		e.Metrics = details.measurements()
	}
	e.Status = statusIn(e.Message, e.Type, details)
	if e.Message == "" && len(details) > 0 {
		var compact bytes.Buffer
		if json.Compact(&compact, r["data"]) == nil {
			e.Message = compact.String()
		}
	}
	return e
}

// Change is a change of a job's status.
type Change struct {
	At     time.Time
	Status string
}

// changes are the status changes of a job, sorted by time: those of its events, and the last one of its record.
func changes(job Job, events []Event) []Change {
	var known []Change
	for _, e := range slices.SortedStableFunc(slices.Values(events), inOrder) {
		if e.Status == "" || e.Created == nil || job.Finished != nil && e.Created.After(*job.Finished) {
			continue
		}
		// The record has precedence about the end of the job.
		if isTerminal(e.Status) && (job.Finished != nil || job.Status != "" && !job.isOver()) {
			continue
		}
		known = append(known, Change{*e.Created, e.Status})
	}
	if job.Finished != nil && job.Status != "" {
		known = append(known, Change{*job.Finished, job.Status})
	}
	return slices.CompactFunc(known, func(a, b Change) bool { return a.Status == b.Status })
}

// inOrder compares events by time. Events of the same second have the order of a job's statuses, because times may be in
// seconds and pages in any order.
func inOrder(a, b Event) int {
	if order := compareTimes(a.Created, b.Created); order != 0 {
		return order
	}
	return rank(a) - rank(b)
}

// rank is the position of an event's status in lifecycle: the creation is first, and unknown statuses are last.
func rank(e Event) int {
	if e.Status == statusQueued && creation.MatchString(e.Message) {
		return -1
	}
	if i := slices.Index(lifecycle, strings.ToLower(e.Status)); i >= 0 {
		return i
	}
	return len(lifecycle)
}

// lastKnown is the time of the newest event, else of the creation, else nil.
func lastKnown(job Job, events []Event) *time.Time {
	last := job.Created
	for _, e := range events {
		if compareTimes(e.Created, last) > 0 {
			last = e.Created
		}
	}
	return last
}

// startTime is the time of the first event with the status running, or nil.
func startTime(events []Event) *time.Time {
	var first *time.Time
	for _, e := range events {
		if e.Status == statusRunning && e.Created != nil && (first == nil || e.Created.Before(*first)) {
			first = e.Created
		}
	}
	return first
}

// endTime is the end of a job: that of its record, else of the event about it, else nil.
func endTime(job Job, events []Event) *time.Time {
	if job.Finished != nil || !job.isOver() {
		return job.Finished
	}
	var last *time.Time
	for _, e := range events {
		if isTerminal(e.Status) && e.Created != nil && compareTimes(e.Created, last) > 0 {
			last = e.Created
		}
	}
	return last
}

// totalSteps is the metric with the number of steps that a job will make.
const totalSteps = "total_steps"

// Sample is one value of a training metric.
type Sample struct {
	Metric string
	Step   *float64
	At     *time.Time
	Value  float64
}

// parseSamples reads a job's metrics: {"metrics": [{"metric_name", "data": [{…, "value"}]}]}. Deployments differ in the other
// members of a sample; it reads the usual names for time and step. A value may be a text such as "NaN".
func parseSamples(r record) []Sample {
	var samples []Sample
	for _, raw := range r.list("metrics") {
		metric := parseRecord(raw)
		name := metric.text("metric_name", "name")
		if key := metricKey(name); name == "" || key != totalSteps && slices.Contains(counters, key) {
			continue
		}
		for _, point := range metric.list("data") {
			p := parseRecord(point)
			value := p.number("value")
			if value == nil {
				value = notFinite(p["value"])
			}
			if value != nil {
				samples = append(samples, Sample{
					Metric: metricKey(name),
					Step:   p.number("step", "step_number", "current_step", "global_step"),
					At:     p.time("timestamp", "created_at", "time", "ts"),
					Value:  *value,
				})
			}
		}
	}
	return samples
}

// metricNames maps names in a job's metrics to those in checkpoints and events, so that a panel shows the same metric
// from each of these sources.
var metricNames = map[string]string{
	"loss": "train_loss", "training_loss": "train_loss",
	"eval_loss": "valid_loss", "val_loss": "valid_loss", "validation_loss": "valid_loss",
}

// metricKey is the name of a metric as in checkpoints: "eval loss" and "Eval-Loss" are "valid_loss".
func metricKey(name string) string {
	name = strings.ToLower(strings.NewReplacer(" ", "_", "-", "_").Replace(strings.TrimSpace(name)))
	return cmp.Or(metricNames[name], name)
}

// File is a file of the gateway: a data set, or results.
type File struct {
	ID, Name, Purpose, Status string
	Bytes                     *float64
	Created                   *time.Time
}

func parseFile(r record) File {
	return File{
		ID: r.id("id"), Name: r.text("filename"), Purpose: r.text("purpose"), Status: r.text("status"),
		Bytes: r.number("bytes"), Created: r.time("created_at"),
	}
}

// Model is a model of the gateway.
type Model struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

func parseModel(r record) Model {
	id := r.id("id")
	return Model{ID: id, Name: cmp.Or(r.text("name", "display_name"), id)}
}
