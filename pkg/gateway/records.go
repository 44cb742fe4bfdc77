package gateway

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// Checkpoint is a state of the model's weights, saved during a job. Its id is also that of the file to download.
type Checkpoint struct {
	ID string
	// Step is NaN, and Created is zero, where it is unknown.
	Step    float64
	Created time.Time
	// Model is the name under which the checkpoint can be deployed.
	Model string
	// Metrics are the metrics of the checkpoint, without its step. They may not be finite.
	Metrics map[string]float64
}

func parseCheckpoint(r record) Checkpoint {
	metrics := r.Object("metrics")
	return Checkpoint{
		ID:      r.ID("id"),
		Step:    orNaN(cmp.Or(r.Number("step_number"), metrics.Number("step"))),
		Created: r.Time("created_at"),
		Model:   r.Text("fine_tuned_model_checkpoint"),
		Metrics: measurements(metrics),
	}
}

// orNaN is NaN for no number.
func orNaN(number *float64) float64 {
	if number == nil {
		return math.NaN()
	}
	return *number
}

// counters are members of a set of metrics that are the progress of the job, and not results.
var counters = []string{"step", "step_number", "current_step", "global_step", "total_steps", "epoch", "created_at", "timestamp", "time"}

// measurements are the members with values by the usual names of metrics, without counters. Of two of one name, that which is written so counts.
func measurements(r record) map[string]float64 {
	values := map[string]float64{}
	for name := range r {
		key := MetricKey(name)
		if n := r.Measurement(name); n != nil && !slices.Contains(counters, name) && (key == name || r.Measurement(key) == nil) {
			values[key] = *n
		}
	}
	return values
}

// Event is an event of a job.
type Event struct {
	ID string
	// Created is zero, and Step is NaN, where it is unknown.
	Created time.Time
	// Level is "info", "warn" or "error"; others are kept.
	Level   string
	Message string
	Type    string
	// Status is the job's new status, or "". IsCreation reports that it is the job's first.
	Status     string
	IsCreation bool
	Step       float64
	// TotalSteps is how many steps the job will make.
	TotalSteps *float64
	// Metrics are those of an event of the type metrics, or of a message about a step. They may not be finite.
	Metrics map[string]float64
}

func parseEvent(r record) Event {
	details, isMetrics := r.Object("data"), r.Text("type") == "metrics"
	if said := saidOf(r.Text("message")); said != nil && details.Number(stepNames...) == nil {
		details, isMetrics = said, true
	}
	e := Event{
		ID:      r.ID("id"),
		Created: r.Time("created_at"),
		Level:   strings.ToLower(r.Text("level")),
		Message: r.Text("message"),
		Type:    r.Text("type"),
		Step:    orNaN(details.Number(stepNames...)),

		TotalSteps: details.Amount(TotalSteps),
	}
	if isMetrics {
		e.Metrics = measurements(details)
	}
	e.Status = statusIn(e.Message, e.Type, details)
	e.IsCreation = e.Status == StatusQueued && creation.MatchString(e.Message)
	if e.Message == "" && len(details) > 0 {
		var compact bytes.Buffer
		if json.Compact(&compact, r["data"]) == nil {
			e.Message = compact.String()
		}
	}
	return e
}

// stepInText and lossInText are what an event says of a step in its message alone: "Step 80/100: training loss=0.15, validation loss=0.2".
var (
	stepInText = regexp.MustCompile(`(?i)^\s*step:? (\d{1,9})(?: ?(?:/|of) ?(\d{1,9}))?\b`)
	lossInText = regexp.MustCompile(`(?i)\b(training|(?:full )?validation) loss[=:] ?([-+.\w]+)`)
)

// saidOf are the step and the losses of a message that begins with a step, as members of an event's data. Without a loss, the step may be
// one of the preparation.
func saidOf(message string) record {
	step := stepInText.FindStringSubmatch(message)
	if step == nil {
		return nil
	}
	losses := lossInText.FindAllStringSubmatch(message[:min(len(message), maxSentence)], -1)
	if len(losses) == 0 {
		return nil
	}
	said := record{"step": json.RawMessage(step[1]), TotalSteps: json.RawMessage(step[2])}
	for _, loss := range losses {
		said[MetricKey(loss[1]+" loss")] = json.RawMessage(strconv.Quote(loss[2]))
	}
	return said
}

// TotalSteps is the metric with the number of steps that a job will make.
const TotalSteps = "total_steps"

// CurrentStep is the metric with the number of steps that it has made.
const CurrentStep = "current_step"

// stepNames are the names of a step, in order of precedence: beside a global one, others are of an epoch.
var stepNames = []string{"global_step", "step", "step_number", CurrentStep}

// IsProgress reports whether a metric says how far a job is. It has no curve.
func IsProgress(metric string) bool { return metric == TotalSteps || metric == CurrentStep }

// Sample is one value of a training metric.
type Sample struct {
	Metric string
	// Step is NaN, and At is zero, where it is unknown.
	Step  float64
	At    time.Time
	Value float64
}

const (
	// maxSamples bounds the values of a job's metrics.
	maxSamples = 1_000_000
	// maxMetrics bounds the metrics of a job, each of which is a curve.
	maxMetrics = 2000
)

// readSamples reads a job's metrics: {"metrics": [{"metric_name", "data": [{…, "value"}]}]}. Deployments differ in the other
// members of a sample; it reads the usual names for time and step. A value may be a text such as "NaN". Of names of one metric, that with the most
// values counts: the loss of each step and the mean of the whole run are no curve. Errors are *transport.Error.
func (c *Client) readSamples(response []byte) ([]Sample, error) {
	count, byName, best := 0, map[string][]Sample{}, map[string]string{}
	_, err := query.ReadList(c.Transport.Service, response, []string{"metrics"}, func(item json.RawMessage) error {
		metric := query.ParseRecord(item)
		name := metric.Text("metric_name", "name")
		key := MetricKey(name)
		isStep := slices.Contains(stepNames, key)
		if isStep {
			key = CurrentStep
		} else if name == "" || key != TotalSteps && slices.Contains(counters, key) {
			return nil
		}
		err := query.Elements(metric["data"], func(point json.RawMessage) error {
			if count++; count > c.MaxSamples {
				return c.Transport.Service.TooLarge(fmt.Sprintf("sent metrics of a job with more than %d values, the most that are read.", c.MaxSamples))
			}
			s, ok := parseSample(query.ParseRecord(point))
			if isStep {
				s.Step = s.Value
			}
			if s.Metric = key; ok && !math.IsInf(s.Step, 0) && !(isStep && math.IsNaN(s.Step)) {
				byName[name] = append(byName[name], s)
			}
			return nil
		})
		if len(byName[name]) > len(byName[best[key]]) {
			best[key] = name
		}
		return err
	})
	switch {
	case errors.Is(err, transport.ErrMalformed):
		return nil, query.Malformed(c.Transport.Service, nil, "a job's metrics")
	case err == nil && len(byName) > maxMetrics:
		return nil, c.Transport.Service.TooLarge(fmt.Sprintf("sent more than %d metrics of a job, the most that are read.", maxMetrics))
	}
	samples := make([]Sample, 0, count)
	for _, key := range slices.Sorted(maps.Keys(best)) {
		samples = append(samples, byName[best[key]]...)
	}
	return samples, err
}

// parseSample reads a value of a metric. ok is false if it has none.
func parseSample(p record) (s Sample, ok bool) {
	value := p.Measurement("value")
	if value == nil {
		return s, false
	}
	return Sample{
		Step:  orNaN(p.Number(stepNames...)),
		At:    p.Time("timestamp", "created_at", "time", "ts"),
		Value: *value,
	}, true
}

// metricNames maps names in a job's metrics to those in checkpoints and events, so that a panel shows the same metric
// from each of these sources.
var metricNames = map[string]string{
	"loss": "train_loss", "training_loss": "train_loss",
	"eval_loss": "valid_loss", "val_loss": "valid_loss", "validation_loss": "valid_loss", "full_validation_loss": "full_valid_loss",
}

// MetricKey is the name of a metric as in checkpoints: "eval loss" and "Eval-Loss" are "valid_loss".
func MetricKey(name string) string {
	name = strings.ToLower(strings.NewReplacer(" ", "_", "-", "_").Replace(strings.TrimSpace(name)))
	return cmp.Or(metricNames[name], name)
}

// File is a file of the gateway: a data set, or results.
type File struct {
	ID, Name, Purpose, Status string
	Bytes                     *float64
	Created                   time.Time
}

func parseFile(r record) File {
	return File{
		ID: r.ID("id"), Name: r.Text("filename"), Purpose: r.Text("purpose"), Status: r.Text("status"),
		Bytes: r.Amount("bytes"), Created: r.Time("created_at"),
	}
}
