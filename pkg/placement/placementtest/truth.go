package placementtest

import (
	"math/bits"
	"slices"
	"strings"
)

// unbounded is more than any world has.
const unbounded = 1 << 30

// bounds are how many GPUs a place has.
type bounds struct {
	// sure is what is possible in every world that looks the same; -1 if there is none because a bound isn't known.
	sure int
	// most is what is possible in the best of them, real what is possible in this one.
	most, real int
}

// ofPlace counts machines of each size up to the capacity and each quota.
func (w *World) ofPlace(p Place) bounds {
	b := bounds{sure: -1}
	knowsQuota := w.QuotaList == Served && slices.ContainsFunc(w.Quotas, func(q Quota) bool { return q.covers(p) })
	for _, s := range p.Sizes {
		if s.IsOdd && !w.HasTypes {
			continue
		}
		known := 0
		for (known+1)*s.GPUs <= p.Free && w.allows(p, s, known+1) {
			known++
		}
		b.real = max(b.real, known*s.GPUs)
		most := known
		if !s.IsKnown || w.QuotaList != Served {
			for most = 0; most < unbounded/s.GPUs; most++ {
				if s.IsKnown && (most+1)*s.GPUs > p.Free || w.QuotaList == Served && !w.allows(p, s, most+1) {
					break
				}
				if !s.IsKnown && (w.QuotaList != Served || !w.isLimited(p)) {
					most = unbounded / s.GPUs
					break
				}
			}
		}
		b.most = max(b.most, most*s.GPUs)
		if s.IsKnown && knowsQuota || most == 0 {
			b.sure = max(b.sure, known*s.GPUs)
		}
	}
	return b
}

// covers reports whether a quota is of a place.
func (q Quota) covers(p Place) bool {
	return (q.Type == "" || strings.HasPrefix(p.Sizes[0].Name, q.Type+".")) && strings.HasPrefix(p.Location, q.Location)
}

func (w *World) isLimited(p Place) bool {
	return slices.ContainsFunc(w.Quotas, func(q Quota) bool { return q.covers(p) })
}

// allows reports whether the quotas leave so many machines.
func (w *World) allows(p Place, s Size, machines int) bool {
	for _, q := range w.Quotas {
		took := machines * s.GPUs
		if q.OfMachines {
			took = machines
		}
		if q.covers(p) && took > q.Left {
			return false
		}
	}
	return true
}

// ofPool tries each set of nodes that can be out of service without looking different, unless the exporter says which are.
func (w *World) ofPool(pool string) bounds {
	b := bounds{}
	var unsure []int // nodes of Slurm that look idle; beyond the nodes of the world, those without GPUs
	notIdle := 0     // of them
	for i, n := range w.Nodes {
		if n.Pool == pool && n.looksIdle() && !n.Faulty {
			if !n.Slurm {
				b.sure += n.GPUs
			}
			if !n.Slurm || n.IsIdle {
				b.real += n.GPUs
			}
		}
		if n.Slurm && n.looksIdle() {
			unsure = append(unsure, i)
			if !n.IsIdle {
				notIdle++
			}
		}
	}
	if slices.ContainsFunc(w.Nodes, func(n Node) bool { return n.Slurm }) {
		for i := range w.CPUNodes {
			unsure = append(unsure, len(w.Nodes)+i)
		}
	}
	if w.HasStates {
		return bounds{b.real, b.real, b.real}
	}
	least, most := unbounded, 0
	for set := range uint(1) << len(unsure) {
		if bits.OnesCount(set) != notIdle {
			continue
		}
		usable := 0
		for bit, i := range unsure {
			if set&(1<<bit) == 0 && i < len(w.Nodes) && w.Nodes[i].Pool == pool && !w.Nodes[i].Faulty {
				usable += w.Nodes[i].GPUs
			}
		}
		least, most = min(least, usable), max(most, usable)
	}
	b.most = b.sure + most
	b.sure += least
	return b
}

// pools are the names of the pools, as results have them, that report and are chosen.
func (w *World) pools() []string {
	var found []string
	for _, n := range w.Nodes {
		if n.Silent || slices.Contains(found, n.Pool) || !w.chooses(n.Model, n.Model) {
			continue
		}
		if len(w.Locations) > 0 && (!w.HasClusters || w.Capacities == NotServed || !slices.Contains(w.Locations, ClusterLocation)) {
			continue
		}
		found = append(found, n.Pool)
	}
	return found
}

// chooses reports whether the query includes a GPU, by type and model.
func (w *World) chooses(gpu, model string) bool {
	if len(w.Types) == 0 || slices.Contains(w.Types, gpu) {
		return true
	}
	return slices.ContainsFunc(gpuTypes, func(known [2]string) bool { return known[1] == model && slices.Contains(w.Types, known[0]) })
}

// places are the places that are offered and chosen.
func (w *World) places() []Place {
	return slices.DeleteFunc(slices.Clone(w.Places), func(p Place) bool {
		odd := p.Sizes[0].IsOdd
		return odd && (!w.HasTypes || len(w.Types) > 0) || !odd && !w.chooses(p.Type, "") ||
			len(w.Locations) > 0 && !slices.Contains(w.Locations, p.Location)
	})
}
