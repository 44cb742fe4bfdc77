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

// verdict is whether an option has room.
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

// option is a place where GPUs can run.
type option struct {
	enough verdict
	// gpus is how many are possible; an upper bound if enough is notKnown. It is nil if the platform doesn't say.
	gpus *float64
	// sure is how many of them are possible without doubt; nil if that isn't known.
	sure                            *float64
	source, gpu, location, nodePool string
	// poolLabel is the node pool with the id of its cluster.
	poolLabel string
	// offer is what is on offer there; nil for own nodes.
	offer *offer
	// machines is what to start or use, such as "8 × h100.8x", or "".
	machines string
	// capacity and quotaLeft are what each of them leaves, in GPUs; nil if it isn't known, or has no limit.
	capacity, quotaLeft *float64
	// reasons are why there are too few, or what isn't known.
	reasons []string
}

// where is the place in words.
func (o *option) where() string {
	if o.source == sourceOwn {
		return strings.TrimSpace("own nodes " + o.nodePool)
	}
	return cmp.Or(o.location, "an unnamed location")
}

// options are all places of the chosen types and locations, the best first: those with room, those that may have room, then the
// others, most GPUs first. Own nodes are before machines that have to be started.
func (k *knowledge) options(q *parsedQuery) []option {
	var options []option
	for _, p := range k.chosenPools(q) {
		options = append(options, p.option(k.typeOf(p), q.wanted))
	}
	for i := range k.offers {
		options = append(options, k.option(k.offers[i], q.wanted))
	}
	slices.SortStableFunc(options, func(a, b option) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(b.most(), a.most()),
			strings.Compare(a.gpu, b.gpu), strings.Compare(a.location, b.location), strings.Compare(a.nodePool, b.nodePool))
	})
	return options
}

func (o *option) rank() int {
	rank := map[verdict]int{enough: 0, notKnown: 2, tooFew: 3}[o.enough]
	if o.enough == enough && o.source == sourceMachines {
		rank++
	}
	return rank
}

// least is how many GPUs are possible without doubt.
func (o *option) least() float64 {
	if o.sure == nil {
		return 0
	}
	return *o.sure
}

// most is the number of GPUs; infinite if it isn't known.
func (o *option) most() float64 {
	if o.gpus == nil {
		return math.Inf(1)
	}
	return *o.gpus
}

// chosenPools are the pools of chosen types and locations.
func (k *knowledge) chosenPools(q *parsedQuery) []*pool {
	var chosen []*pool
	var unplaced []string
	for _, p := range k.pools {
		p.location, p.clusterName = k.locations[p.cluster], k.names[p.cluster]
		switch {
		case !q.gpu(k.typeOf(p), p.model, k.machines[p.id()]):
		case !q.locations.All() && p.location == "":
			unplaced = append(unplaced, p.name())
		case q.locations.Has(p.location):
			chosen = append(chosen, p)
		}
	}
	if len(unplaced) > 0 {
		q.notices.Info("Own nodes whose location is not known are not considered: %s.", list3(unplaced))
	}
	return chosen
}

// option is what the nodes of a pool leave. Nodes that are drained, faulty or silent are no part of its GPUs.
func (p *pool) option(gpu string, wanted float64) option {
	o := option{source: sourceOwn, gpu: gpu, location: p.location, nodePool: p.name(), poolLabel: p.label(), enough: enough}
	usable, perhaps := p.usable(), p.in(stateIdle, stateUndecided)
	free, most, all := gpusOf(usable), gpusOf(perhaps), gpusOf(p.in(stateIdle, stateUndecided, stateInUse, stateHeld))
	o.gpus, o.sure, o.capacity = &free, &free, &all
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
	o.reasons = []string{fmt.Sprintf("%s of %s are free", whole(most), whole(all))}
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

func finite(value float64) *float64 {
	if math.IsInf(value, 0) {
		return nil
	}
	return &value
}

// whole writes a number of GPUs or machines.
func whole(value float64) string { return strconv.FormatFloat(value, 'f', -1, 64) }

// list3 names the first three, and how many others there are.
func list3(names []string) string {
	if len(names) <= 3 {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:3], ", "), len(names)-3)
}
