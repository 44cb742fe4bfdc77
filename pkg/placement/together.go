package placement

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// total is what several places have together of a GPU type.
type total struct {
	gpu    string
	gpus   float64
	places int
}

// together fills the places of each GPU type one after the other, those with most GPUs first, within the quotas that they share.
// Only what is possible without doubt counts, so it is a number that can be had; another order may give some more.
func (k *knowledge) together(options []option) []total {
	totals := map[string]*total{}
	add := func(gpu string, gpus float64) {
		t := totals[gpu]
		if t == nil {
			t = &total{gpu: gpu}
			totals[gpu] = t
		}
		if gpus > 0 {
			t.gpus += gpus
			t.places++
		}
	}
	for _, o := range options {
		if o.source == sourceOwn {
			add(o.gpu, *o.gpus)
		}
	}
	type place struct {
		*offer
		sure float64
	}
	var places []place
	for i := range k.offers {
		if sure := k.option(&k.offers[i], 1).sure; sure != nil {
			places = append(places, place{&k.offers[i], *sure})
		}
	}
	slices.SortStableFunc(places, func(a, b place) int { return cmp.Or(strings.Compare(a.gpu, b.gpu), cmp.Compare(b.sure, a.sure)) })
	taken := map[*quota]float64{}
	for i, p := range places {
		if i > 0 && places[i-1].gpu != p.gpu {
			clear(taken) // the types are alternatives
		}
		add(p.gpu, k.fill(p.offer, taken))
	}
	sorted := make([]total, 0, len(totals))
	for _, t := range totals {
		sorted = append(sorted, *t)
	}
	slices.SortFunc(sorted, func(a, b total) int { return cmp.Or(cmp.Compare(b.gpus, a.gpus), strings.Compare(a.gpu, b.gpu)) })
	return sorted
}

// fill takes as many GPUs as an offer has without doubt, in machines of one size, from the quotas. It returns their number.
func (k *knowledge) fill(o *offer, taken map[*quota]float64) float64 {
	var best room
	most := 0.0
	var from []*quota
	for i := range o.products {
		r := k.room(o, &o.products[i])
		if r.sure == nil {
			continue
		}
		gpus := *r.sure
		applying, perhaps := k.quotas.of(parseName(o.gpu), r.product, o.location)
		quotas := slices.Concat(applying, perhaps)
		for _, q := range quotas {
			gpus = math.Min(gpus, inMachines(q.gpus(r.size)-q.taken(taken, r.size), r.size))
		}
		if gpus > most {
			best, most, from = r, gpus, quotas
		}
	}
	for _, q := range from {
		if q.ofMachines {
			taken[q] += most / best.size
		} else {
			taken[q] += most
		}
	}
	return most
}

// taken is what was taken from a quota, in GPUs of machines of a size.
func (q *quota) taken(from map[*quota]float64, size float64) float64 {
	if q.ofMachines {
		return from[q] * size
	}
	return from[q]
}
