package scenario

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Incident is something that goes wrong from a time on, on top of the scenario, so that alert rules fire.
type Incident string

// The kinds of incidents. None of them ends, but for PastSlowdowns.
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
	// PastSlowdowns: in the weeks up to the day before, GPUs, nodes and pools are slow for hours, and end to be.
	PastSlowdowns Incident = "past-slowdowns"
	// BadTraining: the loss of running jobs goes wrong, since before the other incidents began. See Pathology.
	BadTraining Incident = "bad-training"
)

// Incidents are all there are.
var Incidents = []Incident{Stall, Late, GPUFailure, LinkFlap, FullDisk, LostTraffic, Congestion, PastSlowdowns, BadTraining}

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

// applyIncidents makes the incidents that concern jobs and pools part of what has been written.
func (s *Scenario) applyIncidents() {
	s.applyTraining()
	at, stalled := s.Since(Stall)
	_, late := s.Since(Late)
	_, congested := s.Since(Congestion)
	for _, j := range s.Jobs(at, at) {
		if p, alive := j.Phase(at); !alive || loads[p.Kind].Compute == 0 || !stalled && !late {
			continue
		}
		if stalled && (!congested || j.NodePool != FineTuning) {
			j.interrupt(Stalled, at, j.Finished)
		}
		if late {
			j.Planned = at
		}
		s.change(at, func(next *plan) {
			next.detach(j)
			next.repaint(&j, at, j.Finished)
		})
	}
	if _, ok := s.Since(LostTraffic); ok {
		s.change(at, func(next *plan) { next.loseTraffic(at) })
	}
}

// loseTraffic leaves the serving pool nearly nothing to do, as far as it has been written.
func (p *plan) loseTraffic(from int64) {
	reader := Reader{tl: p.timelines[Serving]}
	lost := reader.At(from)
	lost.Requests = 0.02
	lost.Compute, lost.Tensor, lost.Network = 0.12, 0.02, 0
	p.timelines[Serving] = p.timelines[Serving].before(from).add(from, lost)
}

// failure is the node failure that an incident makes.
func (s *Scenario) failure() (NodeFailure, bool) {
	at, ok := s.Since(GPUFailure)
	return NodeFailure{GPU: s.failing(s.seed), XID: 48, At: at, Repaired: at + repair.Milliseconds()}, ok
}
