package gateway

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/internal/respond"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

// request is what a job is created from.
type request struct {
	Model      string `json:"model"`
	Training   string `json:"training_file"`
	Validation string `json:"validation_file"`
	Suffix     string `json:"suffix"`
	Method     struct {
		Type       string `json:"type"`
		Supervised struct {
			Hyperparameters record `json:"hyperparameters"`
		} `json:"supervised"`
	} `json:"method"`
}

const (
	maxRequest     = 1 << 20 // bytes
	newCheckpoints = 4
)

// createJob starts a job, which succeeds after Config.JobDuration. It runs on GPUs of the platform, not on those of the project.
func (g *Gateway) createJob(w http.ResponseWriter, r *http.Request) {
	var body request
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxRequest)).Decode(&body); err != nil {
		invalid("", "The request body is not a fine-tuning job: "+err.Error()).refuse(w)
		return
	}
	given := record{"n_epochs": "auto", "batch_size": "auto", "learning_rate": "auto"}
	maps.Copy(given, body.Method.Supervised.Hyperparameters)
	d := details{suffix: body.Suffix, training: body.Training, validation: body.Validation, given: given}
	t := g.now()
	seed := scenario.Mix(uint64(t), g.serial.Add(1), 51)
	name := ""
	if body.Suffix != "" {
		name = fmt.Sprintf("%s-%04x", body.Suffix, seed>>48)
	}
	created := scenario.NewJob(scenario.Spec{
		Seed: seed, Name: name, Model: body.Model, Created: t, Length: g.config.JobDuration, Checkpoints: newCheckpoints,
		Epochs: int(numberOr(given["n_epochs"], 3)), BatchSize: int(numberOr(given["batch_size"], 16)),
		LearningRate: numberOr(given["learning_rate"], 2e-5),
	})
	j := job{Job: created, details: d, seed: seed}
	g.mu.Lock()
	g.jobs = append(g.jobs, j)
	g.mu.Unlock()
	respond.JSON(w, http.StatusOK, j.record(t))
}

func numberOr(value any, otherwise float64) float64 {
	if n, ok := value.(float64); ok {
		return n
	}
	return otherwise
}
