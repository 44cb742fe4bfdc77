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

func TestIncident_Stall(t *testing.T) {
	s := incidentStart(Stall)
	for _, j := range running(t, s) {
		if load := s.Reader(j.NodePool, after).At(after); load.Compute > 0.01 || load.Memory < 0.5 {
			t.Errorf("%s: load %+v", j.ID, load)
		}
		if was, is := j.Step(before+2*60e3), j.Step(after); is != was {
			t.Errorf("%s made steps %d to %d while it hung", j.ID, was, is)
		}
		if calm, _ := small(now).Job(j.ID, after); j.Finished != calm.Finished || j.Planned != calm.Planned {
			t.Errorf("%s ends at another time", j.ID)
		}
	}
}

func TestIncident_Late(t *testing.T) {
	s := incidentStart(Late)
	since, _ := s.Since(Late)
	for _, j := range running(t, s) {
		if j.Planned != since {
			t.Errorf("%s is planned to finish at %d, not %d", j.ID, j.Planned, since)
		}
		if s.Reader(j.NodePool, after).At(after) != small(now).Reader(j.NodePool, after).At(after) {
			t.Errorf("%s works otherwise than if it were not late", j.ID)
		}
	}
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

func TestIncident_LostTraffic(t *testing.T) {
	s, calm := incidentStart(LostTraffic), small(now)
	if was, is := s.Reader(Serving, after).At(before).Requests, s.Reader(Serving, after).At(after).Requests; was < 0.1 || is > 0.02 {
		t.Errorf("requests %g before and %g after", was, is)
	}
	lost, served := s.Reader(Serving, after).Until(after).Requests, calm.Reader(Serving, after).Until(after).Requests
	if lost >= served || lost < s.Reader(Serving, after).Until(before).Requests {
		t.Errorf("%g requests are counted with incident, %g without", lost, served)
	}
}

func TestIncident_GPUFailure(t *testing.T) {
	from := now.Add(-time.Hour).UnixMilli()
	if calm := small(now).NodeFailures(from, after); len(calm) > 0 {
		t.Fatalf("%v fails anyway", calm)
	}
	if failed := incidentStart(GPUFailure).NodeFailures(from, after); len(failed) != 1 || failed[0].XID != 48 {
		t.Errorf("incidents %v", failed)
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
