package metrics

import (
	"math"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

// customFamilies are what workloads export themselves. A training job's series begin and end with it.
func (w *labelSets) customFamilies() []family {
	atStep := func(read func(j *scenario.Job, step int) float64) formula {
		return func(s *series, m *moment) float64 { return read(s.job, s.job.Step(m.t)) }
	}
	return collect(everyMinute, dimensions{w.trainers}, []family{
		{Name: "training_loss", Type: Gauge, value: atStep((*scenario.Job).Loss)},
		{Name: "learning_rate", Type: Gauge, value: atStep((*scenario.Job).LearningRateAt)},
		{Name: "batch_seconds", Type: Gauge, value: batchSeconds},
		{Name: "checkpoint_total", Type: Counter, value: func(s *series, m *moment) float64 {
			return float64(len(s.job.Checkpoints(m.t)))
		}},
		{Name: "training_step", Type: Gauge, value: atStep(func(_ *scenario.Job, step int) float64 { return float64(step) })},
	})
}

func batchSeconds(s *series, m *moment) float64 {
	seconds := s.job.StepTime.Seconds() * (1 + 0.08*m.noise(s, clockNoise))
	if p, _ := s.job.Phase(m.t); p.Kind == scenario.Warmup {
		seconds *= 2.4
	}
	return math.Round(seconds*1000) / 1000
}
