package metrics

import (
	"slices"
	"time"
)

// families returns every family of the platform, group by group.
func (w *labelSets) families() []family {
	return slices.Concat(
		w.gpuFamilies(), w.gpuProfilingFamilies(), w.rollupFamilies(),
		w.nodeFamilies(), w.diskFamilies(), w.nvmeFamilies(), w.infinibandFamilies(), w.sharedDiskFamilies(), w.objectStorageFamilies(),
		w.loadBalancerFamilies(), w.slurmFamilies(), w.customFamilies(),
	)
}

// collect fills in what the families of a group have in common.
func collect(interval time.Duration, sh dimensions, families []family) []family {
	for i := range families {
		families[i].Interval = interval
		if families[i].dimensions == nil {
			families[i].dimensions = sh
		}
	}
	return families
}
