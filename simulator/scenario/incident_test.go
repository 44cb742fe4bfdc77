package scenario

import (
	"slices"
	"testing"
	"time"
)

func incidentStart(incidents ...Incident) *Scenario {
	return New(Config{Nodes: 8, GPUsPerNode: 8, Now: now, Incidents: incidents})
}

var before, after = now.Add(-IncidentAge - time.Minute).UnixMilli(), now.UnixMilli()

// running are the jobs that hold GPUs shortly before the incidents begin and still live at now.
func running(t *testing.T, s *Scenario) []Job {
	t.Helper()
	jobs := slices.DeleteFunc(slices.Clone(s.Jobs(before, before)), func(j Job) bool { return j.Finished <= after || j.Started > before })
	if len(jobs) == 0 {
		t.Fatal("no job runs through the incident")
	}
	return jobs
}

func TestIncident_BadTraining(t *testing.T) {
	s := incidentStart(BadTraining)
	for _, j := range running(t, s) {
		calm, _ := small(now).Job(j.ID, after)
		step := j.Step(after)
		loss, was := j.Loss(step), calm.Loss(step)
		switch j.Pathology {
		case Diverges:
			if loss < 1.05*was {
				t.Errorf("the loss of %s is %g, and would be %g", j.ID, loss, was)
			}
		case TurnsNaN:
			if loss == loss {
				t.Errorf("the loss of %s is %g", j.ID, loss)
			}
		case Overfits:
			if loss != was || j.ValidLoss(step) <= calm.ValidLoss(step) {
				t.Errorf("the validation loss of %s is %g, and would be %g", j.ID, j.ValidLoss(step), calm.ValidLoss(step))
			}
		default:
			t.Errorf("nothing goes wrong with %s", j.ID)
		}
		if j.WrongFrom == 0 || j.Loss(j.WrongFrom) != calm.Loss(j.WrongFrom) {
			t.Errorf("the loss of %s is another one before anything goes wrong", j.ID)
		}
	}
}

func TestParseIncidents(t *testing.T) {
	for list, want := range map[string][]Incident{
		"": nil, "stall": {Stall}, " full-disk , late": {FullDisk, Late}, "all": Incidents,
	} {
		if got, err := ParseIncidents(list); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v", list, got, err)
		}
	}
	if _, err := ParseIncidents("stall,flood"); err == nil {
		t.Error("an unknown incident is taken")
	}
}
