package placement

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// verdict is whether a place has room.
type verdict string

const (
	enough verdict = "yes"
	// notKnown: it would have room, but for what is not known.
	notKnown verdict = "unknown"
	tooFew   verdict = "no"
)

// The sources of GPUs.
const (
	sourceOwn      = "own nodes"
	sourceMachines = "new machines"
)

// place is where GPUs can run.
type place struct {
	enough verdict
	// gpus is how many are possible; an upper bound if enough is notKnown. It is nil if the platform doesn't say.
	gpus *float64
	// sure is how many of them are possible without doubt; nil if that isn't known.
	sure                            *float64
	source, gpu, location, nodePool string
	// room is what gives sure; nil for own nodes.
	room *room
	// machines is what to start or use, such as "8 × h100.8x", or "".
	machines string
	// capacity and quotaLeft are what each of them leaves, in GPUs; nil if it isn't known, or has no limit.
	capacity, quotaLeft *float64
	// reasons are why there are too few, or what isn't known.
	reasons []string
}

// where is the place in words.
func (p *place) where() string {
	if p.source == sourceOwn {
		return strings.TrimSpace("own nodes " + p.nodePool)
	}
	return cmp.Or(p.location, "an unnamed location")
}

// places are all of the chosen types and locations, the best first: those with room, those that may have room, then the others,
// most GPUs first. Own nodes are before machines that have to be started.
func (k *knowledge) places(q *request) []place {
	var places []place
	for _, p := range k.chosenPools(q) {
		places = append(places, p.place(k.typeOf(p), q.wanted))
	}
	for _, o := range k.offers {
		places = append(places, k.place(o, q.wanted))
	}
	slices.SortStableFunc(places, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(b.most(), a.most()),
			strings.Compare(a.gpu, b.gpu), strings.Compare(a.location, b.location), strings.Compare(a.nodePool, b.nodePool))
	})
	return places
}

func (p *place) rank() int {
	if p.enough == enough && p.source == sourceOwn {
		return 0
	}
	return map[verdict]int{enough: 1, notKnown: 2, tooFew: 3}[p.enough]
}

// most is the number of GPUs; infinite if it isn't known.
func (p *place) most() float64 {
	if p.gpus == nil {
		return math.Inf(1)
	}
	return *p.gpus
}

// chosenPools are the pools of chosen types and locations.
func (k *knowledge) chosenPools(q *request) []*pool {
	var chosen []*pool
	var unplaced, untyped []string
	for _, p := range k.pools {
		known := k.clusters[p.cluster]
		p.location = known.location
		p.name = strings.TrimPrefix(strings.Trim(cmp.Or(known.name, p.cluster)+" / "+p.nodePool, " /")+p.scheduler(), ", ")
		switch {
		case !q.chooses(k.typeOf(p), p.model, k.machines[p.id()]):
			if k.typeOf(p) == p.model && q.Locations.Has(p.location) && slices.ContainsFunc(strings.Fields(p.model), q.Types.Has) {
				untyped = append(untyped, p.name+" ("+p.model+")")
			}
		case !q.Locations.All() && p.location == "":
			unplaced = append(unplaced, p.name)
		case q.Locations.Has(p.location):
			chosen = append(chosen, p)
		}
	}
	if len(unplaced) > 0 {
		q.notices.Info("Own nodes whose location is not known are not considered: %s.", query.List(unplaced))
	}
	if len(untyped) > 0 {
		q.notices.Info("Own nodes whose GPU type is not known are not considered: %s. Choose their model as well.", query.List(untyped))
	}
	return chosen
}

// place is what the nodes of a pool leave. Nodes that are drained, faulty or silent are no part of its GPUs.
func (p *pool) place(gpu string, wanted float64) place {
	usable := p.usable()
	free, most, all := gpusOf(usable), gpusOf(p.in(stateIdle, stateUndecided)), gpusOf(p.in(stateIdle, stateUndecided, stateInUse, stateHeld))
	o := place{source: sourceOwn, gpu: gpu, location: p.location, nodePool: p.name, enough: enough, gpus: &free, sure: &free, capacity: &all}
	if free < wanted && most >= wanted {
		o.enough, o.gpus = notKnown, &most
		o.reasons = []string{"Slurm does not say which of them are idle"}
		if p.unmatched {
			o.sure = nil
			o.reasons = []string{"Slurm's nodes can't be matched with them"}
		}
		return o
	}
	if needed := nodesFor(usable, wanted); needed > 0 {
		o.machines = query.Plural(needed, "idle node")
	}
	if free >= wanted {
		return o
	}
	o.enough = tooFew
	o.reasons = []string{fmt.Sprintf("%s of %s are on idle nodes", whole(most), whole(all))}
	for _, state := range []state{stateHeld, stateOut, stateFaulty, stateSilent} {
		if nodes := p.in(state); len(nodes) > 0 {
			o.reasons = append(o.reasons, query.Plural(len(nodes), "node")+" "+string(state))
		}
	}
	return o
}

func gpusOf(nodes []*node) float64 {
	sum := 0.0
	for _, n := range nodes {
		sum += n.gpus
	}
	return sum
}

// nodesFor is how many nodes have the GPUs, the largest first; all of them if they are too few.
func nodesFor(nodes []*node, wanted float64) int {
	largest := slices.SortedStableFunc(slices.Values(nodes), func(a, b *node) int { return cmp.Compare(b.gpus, a.gpus) })
	for i, n := range largest {
		if wanted -= n.gpus; wanted <= 0 {
			return i + 1
		}
	}
	return len(nodes)
}

// whole writes a number of GPUs or machines.
func whole(value float64) string { return strconv.FormatFloat(value, 'f', -1, 64) }
