package platform

import (
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

// Training is what is true of the training of a job.
type Training struct {
	ID        string             `json:"id"`
	Pathology scenario.Pathology `json:"pathology"` // empty if nothing goes wrong with its loss
	Since     *time.Time         `json:"since"`     // when that began; null if it did not
	Hangs     *time.Time         `json:"hangs"`     // since when it makes no steps, though it is not paused; null if it makes some
	Step      int                `json:"step"`
	Steps     int                `json:"steps"`
	Finish    time.Time          `json:"finish"`  // when it ends, if nobody intervenes
	Planned   time.Time          `json:"planned"` // when the gateway says that it does
}

// Trainings returns what is true of the jobs that train, or trained, somewhere from a time to another.
func (p *Platform) Trainings(from, to time.Time) []Training {
	all := []Training{}
	for _, j := range p.scenario.Jobs(from.UnixMilli(), to.UnixMilli()) {
		if j.Started == 0 || j.Started > to.UnixMilli() {
			continue
		}
		t := Training{
			ID: j.ID, Pathology: j.Pathology, Step: j.Step(to.UnixMilli()), Steps: j.Steps,
			Finish: time.UnixMilli(j.Finished).UTC(), Planned: time.UnixMilli(j.Planned).UTC(),
		}
		if at, reached := j.TimeOf(j.WrongFrom); reached && j.Pathology != "" && at <= to.UnixMilli() {
			since := time.UnixMilli(at).UTC()
			t.Since = &since
		}
		if phase, alive := j.Phase(to.UnixMilli()); alive && phase.Kind == scenario.Stalled {
			since := time.UnixMilli(phase.Start).UTC()
			t.Hangs = &since
		}
		all = append(all, t)
	}
	return all
}
