package gateway

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

// request is what a job is created from.
type request struct {
	Model      string `json:"model"`
	Training   string `json:"training_file"`
	Validation string `json:"validation_file"`
	Suffix     string `json:"suffix"`
	Seed       *int64 `json:"seed"`
	Metadata   any    `json:"metadata"`
	Method     struct {
		Type       string `json:"type"`
		Supervised struct {
			Hyperparameters record `json:"hyperparameters"`
		} `json:"supervised"`
	} `json:"method"`
}

const (
	maxRequest     = 1 << 20 // bytes
	longestSuffix  = 64
	newCheckpoints = 4
)

// createJob starts a job: it takes nodes and succeeds after Config.JobDuration.
func (g *Gateway) createJob(w http.ResponseWriter, r *http.Request) {
	var asked request
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxRequest)).Decode(&asked); err != nil {
		g.refuse(w, invalid("", "The request body is not a fine-tuning job: "+err.Error()))
		return
	}
	if problem := g.check(&asked); problem != nil {
		g.refuse(w, *problem)
		return
	}
	given := record{"n_epochs": "auto", "batch_size": "auto", "learning_rate": "auto"}
	for name, value := range asked.Method.Supervised.Hyperparameters {
		given[name] = value
	}
	d := details{suffix: asked.Suffix, training: asked.Training, validation: asked.Validation, given: given, metadata: asked.Metadata}
	if asked.Seed != nil {
		d.chance = *asked.Seed
	}
	t := g.now()
	seed := scenario.Mix(uint64(t), g.number(), 51)
	name := ""
	if asked.Suffix != "" {
		name = fmt.Sprintf("%s-%04x", asked.Suffix, seed>>48)
	}
	told := scenario.NewJob(scenario.Spec{
		Seed: seed, Name: name, Model: asked.Model, Created: t, Length: g.config.JobDuration, Checkpoints: newCheckpoints,
		Epochs: int(numberOr(given["n_epochs"], 3)), BatchSize: int(numberOr(given["batch_size"], 16)),
		LearningRate: numberOr(given["learning_rate"], 2e-5),
	})
	g.mu.Lock()
	g.created[told.ID] = d
	g.mu.Unlock()
	j := job{Job: g.config.Scenario.Add(told), details: d, seed: seed}
	g.write(w, http.StatusOK, j.record(t))
}

// number returns a number that it has not returned before.
func (g *Gateway) number() uint64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.serial++
	return g.serial
}

// check returns what is wrong with a request for a job.
func (g *Gateway) check(asked *request) *failure {
	say := func(param, message string) *failure {
		f := invalid(param, message)
		return &f
	}
	switch {
	case asked.Model == "":
		return say("model", "model is required.")
	case !tunable(asked.Model):
		return &failure{http.StatusNotFound, "The model " + asked.Model + " does not exist or cannot be fine-tuned.", "model", "model_not_found"}
	case asked.Training == "":
		return say("training_file", "training_file is required.")
	case !g.trains(asked.Training):
		return say("training_file", "training_file is not an uploaded file with purpose fine-tune: "+asked.Training)
	case asked.Validation != "" && !g.trains(asked.Validation):
		return say("validation_file", "validation_file is not an uploaded file with purpose fine-tune: "+asked.Validation)
	case len(asked.Suffix) > longestSuffix:
		return say("suffix", "suffix is longer than 64 characters.")
	case asked.Method.Type == "":
		return say("method", "method is required.")
	case asked.Method.Type != "supervised":
		return say("method.type", "Only the method supervised is served, not "+asked.Method.Type+".")
	}
	for name, fits := range hyperparameters {
		value, given := asked.Method.Supervised.Hyperparameters[name]
		if number, ok := value.(float64); given && value != nil && value != "auto" && (!ok || !fits(number)) {
			return say("method.supervised.hyperparameters."+name, name+" is out of range.")
		}
	}
	return nil
}

// hyperparameters are the ranges of what can be set; "auto" is always allowed.
var hyperparameters = map[string]func(float64) bool{
	"n_epochs":      func(n float64) bool { return n == math.Trunc(n) && n >= 1 && n <= 50 },
	"batch_size":    func(n float64) bool { return n == math.Trunc(n) && n >= 1 && n <= 1024 },
	"learning_rate": func(n float64) bool { return n > 0 && n < 1 },
}

func numberOr(value any, otherwise float64) float64 {
	if n, ok := value.(float64); ok {
		return n
	}
	return otherwise
}
