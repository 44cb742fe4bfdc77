package placement

import (
	"cmp"
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
	taken := map[*quota]float64{}
	sorted := slices.Clone(options)
	slices.SortStableFunc(sorted, func(a, b option) int { return cmp.Or(strings.Compare(a.gpu, b.gpu), cmp.Compare(b.least(), a.least())) })
	for i, o := range sorted {
		if o.sure == nil {
			continue
		}
		if i > 0 && sorted[i-1].gpu != o.gpu {
			clear(taken) // the types are alternatives
		}
		t := totals[o.gpu]
		if t == nil {
			t = &total{gpu: o.gpu}
			totals[o.gpu] = t
		}
		gpus := *o.sure
		if o.offer != nil {
			gpus = k.fill(o.offer, taken)
		}
		if gpus > 0 {
			t.gpus += gpus
			t.places++
		}
	}
	result := make([]total, 0, len(totals))
	for _, t := range totals {
		result = append(result, *t)
	}
	slices.SortFunc(result, func(a, b total) int { return cmp.Or(cmp.Compare(b.gpus, a.gpus), strings.Compare(a.gpu, b.gpu)) })
	return result
}
