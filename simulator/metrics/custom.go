package metrics

import (
	"math"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

// customFamilies are what workloads export themselves. A training job's series begin and end with it.
func (w *labelSets) customFamilies() []Family {
	atStep := func(read func(j *scenario.Job, step int) float64) formula {
		return func(s *series, m *moment) float64 { return read(s.job, s.job.Step(m.t)) }
	}
	return append(collect(everyMinute, dimensions{w.trainers}, []Family{
		{Name: "training_loss", Type: Gauge, Help: "Loss of the last training step.", value: atStep((*scenario.Job).Loss)},
		{Name: "learning_rate", Type: Gauge, Help: "Learning rate of the last training step.", value: atStep((*scenario.Job).LearningRateAt)},
		{Name: "batch_seconds", Type: Gauge, Unit: "seconds", Help: "How long the last batch took.", value: batchSeconds},
		{Name: "training_tokens_per_second", Type: Gauge, Unit: "tokens per second", Help: "Throughput of the job.", value: tokensPerSecond},
		{Name: "checkpoint_total", Type: Counter, Unit: "checkpoints", Help: "Checkpoints written by the job.", value: func(s *series, m *moment) float64 {
			return float64(len(s.job.Checkpoints(m.t)))
		}},
		{Name: "training_step", Type: Gauge, Unit: "steps", Help: "The last training step.", value: atStep(func(_ *scenario.Job, step int) float64 { return float64(step) })},
		{Name: "training_tokens_total", Type: Counter, Unit: "tokens", Help: "Tokens that the job has trained on.", value: atStep(func(j *scenario.Job, step int) float64 {
			return float64(int64(step) * j.TokensPerStep())
		})},
	}), collect(everyMinute, dimensions{w.servers}, []Family{
		{Name: "inference_requests_total", Type: Counter, Unit: "requests", Help: "Requests served.", value: times(total(scenario.Load{Requests: 38}))},
		{Name: "inference_latency_seconds", Type: Histogram, Unit: "seconds", Help: "Time to the first token.", latency: latency{
			calm: scenario.Load{Time: 2}, busy: scenario.Load{Requests: 36}, calmMean: 0.09, busyMean: 0.31,
		}},
	})...)
}

func batchSeconds(s *series, m *moment) float64 {
	seconds := s.job.StepTime.Seconds() * (1 + 0.08*m.noise(s, clockNoise))
	if p, _ := s.job.Phase(m.t); p.Kind == scenario.Warmup {
		seconds *= 2.4
	}
	return math.Round(seconds*1000) / 1000
}

func tokensPerSecond(s *series, m *moment) float64 {
	p, _ := s.job.Phase(m.t)
	if p.Kind != scenario.Training && p.Kind != scenario.Warmup {
		return 0
	}
	return math.Round(float64(s.job.TokensPerStep()) / batchSeconds(s, m))
}
