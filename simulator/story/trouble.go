package story

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Trouble is something that goes wrong from a time on, on top of what the story tells anyway: what people
// want to be woken for, at a time of their choosing.
type Trouble string

// The kinds of trouble. None of them ends.
const (
	// Stall: running jobs hang. Their GPUs do nothing and keep their memory.
	Stall Trouble = "stall"
	// Late: running jobs were to finish when the trouble began, and did not.
	Late Trouble = "late"
	// GPUFailure: a GPU of the largest lane fails, as in an Incident, but no job ends.
	GPUFailure Trouble = "gpu-failure"
	// LinkFlap: an InfiniBand port of the first node goes down every ten minutes, and has errors in between.
	LinkFlap Trouble = "link-flap"
	// FullDisk: a file system of the first node is nearly full.
	FullDisk Trouble = "full-disk"
	// LostTraffic: hardly a request reaches the serving lane.
	LostTraffic Trouble = "lost-traffic"
)

// Troubles are all there are.
var Troubles = []Trouble{Stall, Late, GPUFailure, LinkFlap, FullDisk, LostTraffic}

// TroubleAge is how long before the story's Config.Now trouble begins, so that it can be seen at once.
const TroubleAge = 30 * time.Minute

// ParseTroubles reads a list such as "stall,full-disk"; "all" is every one, "" none.
func ParseTroubles(list string) ([]Trouble, error) {
	if list == "all" {
		return slices.Clone(Troubles), nil
	}
	var found []Trouble
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		if !slices.Contains(Troubles, Trouble(name)) {
			return nil, fmt.Errorf("%q is no trouble; there are %v", name, Troubles)
		}
		found = append(found, Trouble(name))
	}
	return found, nil
}

// Since returns when a trouble began; false if the story has none of it.
func (s *Story) Since(trouble Trouble) (int64, bool) {
	return s.troubled, slices.Contains(s.troubles, trouble)
}

// suffer makes the troubles that concern jobs and lanes part of what has been written.
func (s *Story) suffer() {
	at, stalled := s.Since(Stall)
	_, late := s.Since(Late)
	for _, j := range s.Jobs(at, at) {
		if p, alive := j.Phase(at); !alive || loads[p.Kind].Compute == 0 || !stalled && !late {
			continue
		}
		if stalled {
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

// loseTraffic leaves the serving lane nearly nothing to do, as far as it has been written.
func (p *plan) loseTraffic(from int64) {
	reader := Reader{tl: p.timelines[Serving]}
	var tl timeline
	for _, s := range p.timelines[Serving] {
		if s.start < from {
			tl = append(tl, s)
		}
	}
	lost := reader.At(from)
	lost.Requests = 0.02
	lost.Compute, lost.Tensor, lost.Network = 0.12, 0.05, 0
	p.timelines[Serving] = tl.add(from, lost)
}

// failure is the incident that trouble makes.
func (s *Story) failure() (Incident, bool) {
	at, ok := s.Since(GPUFailure)
	return Incident{GPU: s.failing(s.seed), XID: 48, At: at, Repaired: at + repair.Milliseconds()}, ok
}
