package gateway

import (
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/internal/respond"
)

// measures returns what is measured at a step of training. What is not a number is missing, as JSON has
// no other way to say so.
func (j *job) measures(step int) record {
	loss, valid := j.Loss(step), j.ValidLoss(step)
	r := record{
		"train_loss": loss, "valid_loss": valid, "full_valid_loss": loss * 1.06,
		"train_mean_token_accuracy": math.Exp(-0.35 * loss), "valid_mean_token_accuracy": math.Exp(-0.35 * valid),
	}
	for name, value := range r {
		if n := value.(float64); math.IsNaN(n) {
			delete(r, name)
		} else {
			r[name] = math.Round(n*1e5) / 1e5
		}
	}
	return r
}

// checkpoints returns the job's checkpoints at t, newest first.
func (j *job) checkpoints(t int64) []record {
	var all []record
	for n, at := range j.Checkpoints(t) {
		step := j.Step(at)
		measures := j.measures(step)
		measures["step"] = step
		r := record{
			"id": checkpointID(j.seed, n), "object": "fine_tuning.job.checkpoint", "created_at": seconds(at), "step_number": step,
			"fine_tuning_job_id": j.ID, "fine_tuned_model_checkpoint": fmt.Sprintf("%s:ckpt-step-%d", j.tunedModel(), step),
			"metrics": measures,
		}
		if j.mangle.checkpoint != nil {
			j.mangle.checkpoint(r, n)
		}
		all = append(all, r)
	}
	slices.Reverse(all)
	return all
}

func checkpointID(seed uint64, n int) string { return fmt.Sprintf("ftckpt-%016x-%02d", seed, n+1) }

// checkpoint finds the job and the position of a checkpoint that exists at t.
func (g *Gateway) checkpoint(id string, t int64) (j job, n int, ok bool) {
	text, _ := strings.CutPrefix(id, "ftckpt-")
	identity, position, _ := strings.Cut(text, "-")
	if j, ok = g.job("ftjob-"+identity, t); !ok {
		return j, 0, false
	}
	n, err := strconv.Atoi(position)
	n--
	ok = err == nil && n >= 0 && n < len(j.Checkpoints(t)) && id == checkpointID(j.seed, n)
	return j, n, ok
}

func (g *Gateway) listCheckpoints(w http.ResponseWriter, r *http.Request, j job, t int64) {
	g.writePage(w, r, j.checkpoints(t), 10, false)
}

// curvePoints is how many points a curve has at most.
const curvePoints = 150

// writeCurves responds with the job's metrics up to now.
func (g *Gateway) writeCurves(w http.ResponseWriter, _ *http.Request, j job, t int64) {
	curves := map[string][]record{}
	for i := 1; i <= curvePoints; i++ {
		step := max(j.Steps*i/curvePoints, 1)
		at, ok := j.TimeOf(step)
		if !ok || at > t {
			break
		}
		add := func(name string, value any) {
			curves[name] = append(curves[name], record{"step": step, "timestamp": seconds(at), "value": value})
		}
		measures := j.measures(step)
		if loss, ok := measures["train_loss"]; ok {
			add("loss", loss)
		}
		if loss, ok := measures["valid_loss"]; ok && i%5 == 0 {
			add("eval loss", loss)
		}
		add("learning rate", j.LearningRateAt(step))
		add("current step", step)
		add("total steps", j.Steps)
	}
	metrics := []record{}
	for _, name := range []string{"loss", "eval loss", "learning rate", "current step", "total steps"} {
		metrics = append(metrics, record{"metric_name": name, "data": append([]record{}, curves[name]...)})
	}
	respond.JSON(w, http.StatusOK, record{"metrics": metrics})
}
