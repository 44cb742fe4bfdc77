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
		options = append(options, k.option(&k.offers[i], q.wanted))
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
		p.location = k.locations[p.cluster]
		if !q.model(parseName(p.model)) {
			continue
		}
		if !q.locations.All() && p.location == "" {
			unplaced = append(unplaced, p.name())
			continue
		}
		if q.location(p.location) {
			chosen = append(chosen, p)
		}
	}
	if len(unplaced) > 0 {
		q.notices.Info("Own nodes whose location is not known are not considered: %s.", list3(unplaced))
	}
	return chosen
}

// typeOf is the GPU type of a pool: that of the capacities, if one of them is meant, else words of the model, such as h100-80gb.
func (k *knowledge) typeOf(p *pool) string {
	model := parseName(p.model)
	found := ""
	for _, o := range k.offers {
		if parseName(o.gpu).mayBe(model) {
			if found != "" && found != o.gpu {
				return model.short()
			}
			found = o.gpu
		}
	}
	return cmp.Or(found, model.short(), p.model)
}

func (p *pool) option(gpu string, wanted float64) option {
	o := option{source: sourceOwn, gpu: gpu, location: p.location, nodePool: p.name(), enough: enough}
	usable := p.usable()
	free := gpusOf(usable)
	capacity := gpusOf(p.idle) + gpusOf(p.faulty) + gpusOf(p.out) + gpusOf(p.busy)
	o.gpus, o.sure, o.capacity = &free, &free, &capacity
	if needed := nodesFor(usable, wanted); needed > 0 {
		o.machines = query.Plural(needed, "idle node")
	}
	if free >= wanted {
		return o
	}
	o.enough = tooFew
	for _, reason := range []struct {
		nodes int
		text  string
	}{
		{len(p.out), "idle but drained or down"}, {len(p.busy), "idle but allocated by Slurm"},
		{p.drained, "idle but may be drained or down"}, {p.taken, "idle but may be allocated by Slurm"},
		{len(p.faulty), "idle but with GPU memory that can't be repaired"}, {p.silent, "no longer reporting"},
	} {
		if reason.nodes > 0 {
			o.reasons = append(o.reasons, query.Plural(reason.nodes, "node")+" "+reason.text)
		}
	}
	o.reasons = slices.Insert(o.reasons, 0, fmt.Sprintf("%s of %s are free", whole(free), whole(p.gpus)))
	return o
}

func gpusOf(nodes []node) float64 {
	sum := 0.0
	for _, n := range nodes {
		sum += n.gpus
	}
	return sum
}

// nodesFor is how many nodes have the GPUs, the largest first; all of them if they are too few.
func nodesFor(nodes []node, wanted float64) int {
	for count := range nodes {
		if gpusOf(nodes[len(nodes)-count-1:]) >= wanted {
			return count + 1
		}
	}
	return len(nodes)
}

// room is what is possible with machines of one product.
type room struct {
	*product
	// capacity is what the platform has, quota what the tightest quota leaves, both in GPUs and maybe infinite. gpus is what
	// whole machines within both have.
	capacity, quota, gpus float64
	tightest              *quota
	// sure is gpus within the quotas that may apply, too; nil if not all bounds are known. doubts are why it isn't gpus.
	sure   *float64
	doubts []string
}

// room is what a capacity and the quotas leave of a product.
func (k *knowledge) room(o *offer, p *product) room {
	r := room{product: p, capacity: math.Inf(1), quota: math.Inf(1)}
	if p.machines != nil {
		r.capacity = *p.machines * p.size
	} else {
		r.doubts = append(r.doubts, "the capacity of "+p.name+" is not known")
	}
	applying, perhaps := k.quotas.of(parseName(o.gpu), p, o.location)
	for _, q := range applying {
		if left := q.gpus(p.size); left < r.quota || r.tightest == nil {
			r.quota, r.tightest = left, q
		}
		if q.doubt != "" {
			r.doubts = append(r.doubts, q.doubt)
		}
	}
	r.gpus = inMachines(math.Min(r.capacity, r.quota), p.size)
	switch {
	case k.noQuotas != "":
		r.doubts = append(r.doubts, k.noQuotas)
	case len(applying) == 0:
		r.doubts = append(r.doubts, fmt.Sprintf("no quota is known for %s in %s", o.gpu, o.place()))
	}
	isSure, sure := len(r.doubts) == 0, r.gpus
	for _, q := range perhaps {
		if left := q.gpus(p.size); left < r.gpus || q.doubt != "" {
			r.doubts = append(r.doubts, fmt.Sprintf("the quota %s leaves %s and may apply", q.label, whole(left)))
			isSure = isSure && q.doubt == ""
			sure = math.Min(sure, inMachines(left, p.size))
		}
	}
	if isSure || r.gpus == 0 {
		r.sure = &sure
	}
	return r
}

// inMachines is how many GPUs whole machines have, of so many.
func inMachines(gpus, size float64) float64 { return math.Floor(gpus/size) * size }

func (o *offer) place() string { return cmp.Or(o.location, "an unnamed location") }

// option is what an offer and the quotas leave. Machines of different sizes are cut from the same GPUs, so the size that gives
// most counts.
func (k *knowledge) option(o *offer, wanted float64) option {
	result := option{source: sourceMachines, gpu: o.gpu, location: o.location}
	var rooms []room
	for i := range o.products {
		r := k.room(o, &o.products[i])
		rooms = append(rooms, r)
		if capacity := finite(r.capacity); capacity != nil && (result.capacity == nil || *capacity > *result.capacity) {
			result.capacity = capacity
		}
		if r.sure != nil && (result.sure == nil || *r.sure > *result.sure) {
			result.sure = r.sure
		}
	}
	slices.SortStableFunc(rooms, func(a, b room) int { return cmp.Or(cmp.Compare(b.gpus, a.gpus), cmp.Compare(b.size, a.size)) })
	best := rooms[0]
	switch {
	case result.sure != nil && *result.sure >= wanted:
		result.enough = enough
		rooms = slices.DeleteFunc(rooms, func(r room) bool { return r.sure == nil || *r.sure < wanted })
		best = rooms[0]
		result.gpus = result.sure
	case best.gpus >= wanted:
		result.enough, result.gpus = notKnown, finite(best.gpus)
		for _, r := range rooms {
			if r.gpus >= wanted {
				result.reasons = append(result.reasons, r.doubts...)
			}
		}
		slices.Sort(result.reasons)
		result.reasons = slices.Compact(result.reasons)
	default:
		result.enough, result.gpus = tooFew, &best.gpus
		result.reasons = best.reasons(o, result.capacity, wanted)
	}
	result.quotaLeft = finite(best.quota)
	result.machines = best.machinesFor(rooms, wanted)
	return result
}

// machinesFor is how to get the GPUs: with the largest machines that are enough, or as many as there are.
func (r room) machinesFor(rooms []room, wanted float64) string {
	chosen, machines := r, r.gpus/r.size
	for _, one := range rooms {
		if one.gpus >= wanted && (chosen.gpus < wanted || one.size >= chosen.size) {
			chosen, machines = one, math.Ceil(wanted/one.size)
		}
	}
	if machines == 0 || math.IsInf(machines, 0) {
		return ""
	}
	return fmt.Sprintf("%s × %s", whole(machines), chosen.name)
}

// reasons are what leaves too few. capacity is that of the best size, or nil.
func (r room) reasons(o *offer, capacity *float64, wanted float64) []string {
	var reasons []string
	if capacity != nil && *capacity < wanted {
		reasons = append(reasons, fmt.Sprintf("capacity %s in %s", whole(*capacity), o.place()))
	}
	if r.quota < wanted {
		reasons = append(reasons, fmt.Sprintf("quota leaves %s (%s)", whole(r.quota), r.tightest.label))
	}
	if len(reasons) == 0 {
		reasons = append(reasons, fmt.Sprintf("whole machines of %s have %s", whole(r.size), whole(r.gpus)))
	}
	return reasons
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
