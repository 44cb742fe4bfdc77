package scenario

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// Incident is something that goes wrong from a time on, on top of the scenario, so that alert rules fire.
type Incident string

// The kinds of incidents. None of them ends.
const (
	// Stall: running jobs hang. Their GPUs do nothing and keep their memory.
	Stall Incident = "stall"
	// Late: running jobs were to finish when the incident began, and did not.
	Late Incident = "late"
	// GPUFailure: a GPU of the largest pool fails, as in a NodeFailure, but no job ends.
	GPUFailure Incident = "gpu-failure"
	// LinkFlap: an InfiniBand port of the first node goes down every ten minutes, and has errors in between.
	LinkFlap Incident = "link-flap"
	// FullDisk: a file system of the first node is nearly full.
	FullDisk Incident = "full-disk"
	// LostTraffic: hardly a request reaches the serving pool.
	LostTraffic Incident = "lost-traffic"
	// Congestion: kernels of the pool that fine-tunes wait for the network.
	Congestion Incident = "congestion"
	// BadTraining: the loss of running jobs goes wrong, since before the other incidents began. See Pathology.
	BadTraining Incident = "bad-training"
)

// Incidents are all there are.
var Incidents = []Incident{Stall, Late, GPUFailure, LinkFlap, FullDisk, LostTraffic, Congestion, BadTraining}

// IncidentAge is how long before the scenario's Config.Now incidents begin, so that it can be seen at once.
const IncidentAge = 30 * time.Minute

// ParseIncidents reads a list such as "stall,full-disk"; "all" is every one, "" none.
func ParseIncidents(list string) ([]Incident, error) {
	if list == "all" {
		return slices.Clone(Incidents), nil
	}
	var found []Incident
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		if !slices.Contains(Incidents, Incident(name)) {
			return nil, fmt.Errorf("%q is no incident; there are %v", name, Incidents)
		}
		found = append(found, Incident(name))
	}
	return found, nil
}

// Since returns when an incident began; false if the scenario has none of it.
func (s *Scenario) Since(incident Incident) (int64, bool) {
	return s.incidentStart, slices.Contains(s.incidents, incident)
}

// beginning is when an incident begins, which may be never.
func (s *Scenario) beginning(of Incident) int64 {
	if at, ok := s.Since(of); ok {
		return at
	}
	return math.MaxInt64
}

// disturb is what incidents do to a job that computes when they begin. What goes wrong with a loss differs from pool to pool, and
// has done so since 40 % of the steps until then.
func (s *Scenario) disturb(j *Job) {
	at, stalled := s.Since(Stall)
	_, late := s.Since(Late)
	_, congested := s.Since(Congestion)
	_, wrong := s.Since(BadTraining)
	if p, alive := j.Phase(at); !alive || loads[p.Kind].Compute == 0 {
		return
	}
	if wrong {
		j.Pathology = [Serving]Pathology{Pretraining: Diverges, FineTuning: Overfits, Experiments: TurnsNaN}[j.NodePool]
		j.WrongFrom = j.Step(at) * 2 / 5
	}
	if stalled && (!congested || j.NodePool != FineTuning) {
		j.stay(Stalled, at)
	}
	if late {
		j.Planned = at
	}
}

// failure is the node failure that an incident makes.
func (s *Scenario) failure() (NodeFailure, bool) {
	at, ok := s.Since(GPUFailure)
	return NodeFailure{GPU: s.failing(seed), XID: 48, At: at, Repaired: at + repair.Milliseconds()}, ok
}
