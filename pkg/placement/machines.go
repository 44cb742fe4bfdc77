package placement

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// room is what is possible with machines of one product.
type room struct {
	*product
	// capacity is what the platform has, quota what the tightest quota leaves, both in GPUs and maybe infinite. gpus is what
	// whole machines within both have.
	capacity, quota, gpus float64
	tightest              *quota
	// quotas are all that apply, or may apply.
	quotas []*quota
	// sure is gpus within the quotas that may apply, too; nil if not all bounds are known. doubts are why it isn't gpus.
	sure   *float64
	doubts []string
}

// room is what a capacity and the quotas leave of a product.
func (k *knowledge) room(o *offer, p *product) room {
	r := room{product: p, capacity: math.Inf(1), quota: math.Inf(1)}
	if p.machines == nil {
		r.doubt("the capacity of %s is not known", p.name)
	} else if r.capacity = 0; *p.machines > 0 {
		r.capacity = *p.machines * cmp.Or(p.size, math.Inf(1))
	}
	if p.size == 0 {
		r.doubt("the number of GPUs of %s is not known", p.name)
	}
	applying, perhaps := k.quotas.of(p, o.location, k.offered)
	r.quotas = slices.Concat(applying, perhaps)
	for _, q := range applying {
		if q.left < r.quota || r.tightest == nil {
			r.quota, r.tightest = q.left, q
		}
		r.doubt("%s", q.doubt)
	}
	r.gpus = r.inMachines(math.Min(r.capacity, r.quota))
	switch {
	case k.unbounded != "":
		r.doubt("%s", k.unbounded)
	case p.quotaType == "":
		r.doubt("which quota %s counts against is not known", p.name)
	case len(applying) == 0:
		r.doubt("the quota %s is not listed", p.quotaType)
	}
	isSure, sure := len(r.doubts) == 0, r.gpus
	for _, q := range perhaps {
		if q.left < r.gpus || q.doubt != "" {
			r.doubt("the quota %s of %s leaves %s and may apply", q.name, q.location, whole(q.left))
			isSure = isSure && q.doubt == ""
			sure = math.Min(sure, r.inMachines(q.left))
		}
	}
	if isSure || r.gpus == 0 {
		r.sure = &sure
	}
	return r
}

func (r *room) doubt(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); text != "" {
		r.doubts = append(r.doubts, text)
	}
}

// inMachines is how many GPUs whole machines have, of so many. Machines of unknown size have any.
func (p *product) inMachines(gpus float64) float64 {
	if p.size == 0 || math.IsInf(gpus, 1) {
		return gpus
	}
	return math.Floor(gpus/p.size) * p.size
}

// option is what an offer and the quotas leave. Machines of different sizes are cut from the same GPUs, so the size that gives
// most counts.
func (k *knowledge) option(o *offer, wanted float64) option {
	result := option{source: sourceMachines, gpu: o.gpu, location: o.location, offer: o}
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
		result.enough, result.gpus = enough, result.sure
		rooms = slices.DeleteFunc(rooms, func(r room) bool { return r.sure == nil || *r.sure < wanted })
		best = rooms[0]
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

// machinesFor is how to get the GPUs: with the machines that have the fewest GPUs too many, of those the largest; or as many as there
// are.
func (r room) machinesFor(rooms []room, wanted float64) string {
	chosen, machines := r, r.gpus/r.size
	least := math.Inf(1)
	for _, one := range rooms {
		count := math.Ceil(wanted / one.size)
		if gpus := count * one.size; one.size > 0 && one.gpus >= wanted && (gpus < least || gpus == least && one.size > chosen.size) {
			chosen, machines, least = one, count, gpus
		}
	}
	if chosen.size == 0 || machines == 0 || math.IsInf(machines, 0) {
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
		reasons = append(reasons, fmt.Sprintf("quota leaves %s (%s)", whole(r.quota), r.tightest.name))
	}
	if len(reasons) == 0 {
		reasons = append(reasons, fmt.Sprintf("whole machines of %s have %s", query.Plural(int(r.size), "GPU"), whole(r.gpus)))
	}
	return reasons
}

func (o *offer) place() string { return cmp.Or(o.location, "an unnamed location") }

// fill takes as many GPUs as an offer has without doubt, in machines of one size, from the quotas. It returns their number.
func (k *knowledge) fill(o *offer, taken map[*quota]float64) float64 {
	most := 0.0
	var from []*quota
	for i := range o.products {
		r := k.room(o, &o.products[i])
		if r.sure == nil {
			continue
		}
		gpus := *r.sure
		for _, q := range r.quotas {
			gpus = math.Min(gpus, r.inMachines(q.left-taken[q]))
		}
		if gpus > most {
			most, from = gpus, r.quotas
		}
	}
	for _, q := range from {
		taken[q] += most
	}
	return most
}
