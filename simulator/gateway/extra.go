package gateway

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

// extraJobs are finished jobs in any number, made when they are read: spread over the 30 days before
// begun, with extraCheckpoints each. They occupy no nodes.
type extraJobs struct {
	begun time.Time
	seeds []uint64 // by key
}

const (
	extraSeed        = 0xbe7c000000000000 // identity of the first; the others count on from it
	extraCheckpoints = 6
	extraSpread      = 30*24*time.Hour - time.Hour
	extraLongest     = 4 * time.Hour
)

func newExtraJobs(count int, begun time.Time) extraJobs {
	e := extraJobs{begun: begun, seeds: make([]uint64, count)}
	for i := range e.seeds {
		e.seeds[i] = extraSeed + uint64(i)
	}
	slices.SortFunc(e.seeds, func(a, b uint64) int { return cmp.Compare(keyOf(a), keyOf(b)) })
	return e
}

// job returns the job with an identity.
func (e *extraJobs) job(seed uint64) (job, bool) {
	count := uint64(len(e.seeds))
	if seed < extraSeed || seed >= extraSeed+count {
		return job{}, false
	}
	position := float64(seed-extraSeed) / float64(count)
	age := extraLongest + time.Duration((1-position)*float64(extraSpread-extraLongest))
	spec := scenario.Spec{
		Seed: seed, Name: fmt.Sprintf("batch-%05d", seed-extraSeed), Model: models[scenario.Mix(seed, 21)%8].id, Created: e.begun.Add(-age).UnixMilli(),
		Length: time.Hour + time.Duration(scenario.Unit(scenario.Mix(seed, 22))*float64(extraLongest-time.Hour)), Checkpoints: extraCheckpoints,
		Epochs: 1 + int(seed%4), BatchSize: 16, LearningRate: 2e-5,
	}
	if scenario.Mix(seed, 23)%12 == 0 {
		spec.Outcome, spec.Failure = scenario.Failed, "CUDA out of memory: tried to allocate 2.50 GiB"
	}
	return fromScenario(scenario.NewJob(spec)), true
}

// from returns up to limit jobs from a key on.
func (e *extraJobs) from(key uint64, limit int) []job {
	first := sort.Search(len(e.seeds), func(i int) bool { return keyOf(e.seeds[i]) >= key })
	var jobs []job
	for _, seed := range e.seeds[first:min(first+limit, len(e.seeds))] {
		j, _ := e.job(seed)
		jobs = append(jobs, j)
	}
	return jobs
}
