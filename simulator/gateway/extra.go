package gateway

import (
	"fmt"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

const (
	extraSeed        = 0xbe7c000000000000 // identity of the first; the others count on from it
	extraCheckpoints = 6
	extraSpread      = 30*24*time.Hour - time.Hour
	extraLongest     = 4 * time.Hour
)

// newExtraJobs makes finished jobs in any number, spread over the 30 days before begun. They occupy no nodes.
func newExtraJobs(count int, begun time.Time) []job {
	jobs := make([]job, count)
	for i := range jobs {
		seed := extraSeed + uint64(i)
		age := extraLongest + time.Duration((1-float64(i)/float64(count))*float64(extraSpread-extraLongest))
		spec := scenario.Spec{
			Seed: seed, Name: fmt.Sprintf("batch-%05d", i), Model: models[scenario.Mix(seed, 21)%8].id, Created: begun.Add(-age).UnixMilli(),
			Length: time.Hour + time.Duration(scenario.Unit(scenario.Mix(seed, 22))*float64(extraLongest-time.Hour)), Checkpoints: extraCheckpoints,
			Epochs: 1 + i%4, BatchSize: 16, LearningRate: 2e-5,
		}
		if scenario.Mix(seed, 23)%12 == 0 {
			spec.Outcome, spec.Failure = scenario.Failed, "CUDA out of memory: tried to allocate 2.50 GiB"
		}
		jobs[i] = fromScenario(scenario.NewJob(spec))
	}
	return jobs
}
