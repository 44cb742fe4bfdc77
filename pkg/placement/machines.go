package placement

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// room is what is possible with machines of one product.
type room struct {
	*product
	// capacity is what the platform has, quota what the tightest quota leaves, both in GPUs and maybe infinite. gpus is what
	// whole machines within both have.
	capacity, quota, gpus float64
	tightest              *quota
	// quotas are all that apply.
	quotas []*quota
	// doubts are why it may be less.
	doubts []string
}

// room is what a capacity and the quotas leave of a product.
func (k *knowledge) room(o *offer, p *product) room {
	r := room{product: p, capacity: math.Inf(1), quota: math.Inf(1)}
	switch {
	case p.machines == nil:
		r.doubt("the capacity of %s is not known", p.name)
	case *p.machines == 0:
		r.capacity = 0
	case p.size > 0:
		r.capacity = *p.machines * p.size
	}
	if p.size == 0 {
		r.doubt("the number of GPUs of %s is not known", p.name)
	}
	for _, q := range k.quotas[strings.ToLower(p.quotaType)] {
		switch {
		case q.location == "" || strings.EqualFold(q.location, o.location):
			r.quotas = append(r.quotas, q)
			if q.left < r.quota || r.tightest == nil {
				r.quota, r.tightest = q.left, q
			}
			if q.doubt != "" {
				r.doubt("%s", q.doubt)
			}
		case !k.offered[strings.ToLower(q.location)]: // it may be a region
			r.doubt("the quota %s of %s may apply", q.name, q.location)
		}
	}
	switch {
	case k.unbounded != "":
		r.doubt("%s", k.unbounded)
	case p.quotaType == "":
		r.doubt("which quota %s counts against is not known", p.name)
	case len(r.quotas) == 0:
		r.doubt("the quota %s is not listed", p.quotaType)
	}
	r.gpus = r.inMachines(math.Min(r.capacity, r.quota))
	return r
}

func (r *room) doubt(format string, args ...any) {
	r.doubts = append(r.doubts, fmt.Sprintf(format, args...))
}

// isSure reports whether gpus are possible without doubt.
func (r *room) isSure() bool { return len(r.doubts) == 0 || r.gpus == 0 }

// inMachines is how many GPUs whole machines have, of so many. Machines of unknown size have any.
func (p *product) inMachines(gpus float64) float64 {
	if p.size == 0 || math.IsInf(gpus, 1) {
		return gpus
	}
	return math.Floor(gpus/p.size) * p.size
}

// place is what an offer and the quotas leave. Machines of different sizes are cut from the same GPUs, so the size that gives
// most counts.
func (k *knowledge) place(o *offer, wanted float64) place {
	result := place{source: sourceMachines, gpu: o.gpu, location: o.location, enough: tooFew}
	var rooms []room
	for i := range o.products {
		rooms = append(rooms, k.room(o, &o.products[i]))
	}
	slices.SortStableFunc(rooms, func(a, b room) int { return cmp.Or(cmp.Compare(b.gpus, a.gpus), cmp.Compare(b.size, a.size)) })
	best := rooms[0]
	if i := slices.IndexFunc(rooms, func(r room) bool { return r.isSure() }); i >= 0 {
		sure := rooms[i]
		result.sure, result.room = &sure.gpus, &sure
		if sure.gpus >= wanted {
			result.enough, best = enough, sure
		}
	}
	result.gpus, result.capacity, result.quotaLeft = query.Finite(best.gpus), query.Finite(best.capacity), query.Finite(best.quota)
	switch {
	case result.enough == enough:
	case best.gpus >= wanted:
		result.enough, result.reasons = notKnown, best.doubts
	default:
		result.reasons = best.reasons(o, wanted)
	}
	result.machines = best.inProducts(rooms, wanted)
	return result
}

// inProducts is how to get the GPUs: with the machines that have the fewest GPUs too many, of those the largest; or as many as there
// are.
func (r *room) inProducts(rooms []room, wanted float64) string {
	chosen, machines, fewest := r.product, r.gpus/r.size, math.Inf(1)
	for _, one := range rooms {
		count := math.Ceil(wanted / one.size)
		gpus := count * one.size
		if one.gpus >= wanted && one.isSure() == r.isSure() && (gpus < fewest || gpus == fewest && one.size > chosen.size) {
			chosen, machines, fewest = one.product, count, gpus
		}
	}
	if chosen.size == 0 || machines == 0 || math.IsInf(machines, 0) {
		return ""
	}
	return whole(machines) + " × " + chosen.name
}

// reasons are what leaves too few.
func (r *room) reasons(o *offer, wanted float64) []string {
	var reasons []string
	if r.capacity < wanted {
		reasons = append(reasons, fmt.Sprintf("capacity %s in %s", whole(r.capacity), cmp.Or(o.location, "an unnamed location")))
	}
	if r.quota < wanted {
		reasons = append(reasons, fmt.Sprintf("quota leaves %s (%s)", whole(r.quota), r.tightest.name))
	}
	if len(reasons) == 0 {
		reasons = append(reasons, fmt.Sprintf("whole machines of %s have %s", query.Plural(int(r.size), "GPU"), whole(r.gpus)))
	}
	return reasons
}
