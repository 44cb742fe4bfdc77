package mainapi

import (
	"fmt"
	"slices"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

// product is a kind of GPU that is sold by the piece.
type product struct {
	name, model string
	locations   []string
}

var products = []product{
	{"a100", "NVIDIA A100-SXM4-80GB", []string{scenario.Home, "us-west1-a"}},
	{"h100", "NVIDIA H100 80GB HBM3", []string{scenario.Home, "us-west1-a", "eu-north1-a"}},
	{"h200", "NVIDIA H200", []string{"eu-north1-a"}},
	{"l40s", "NVIDIA L40S", []string{"us-west1-a", "eu-north1-a"}},
}

// productOf returns the product that a GPU model is.
func productOf(model string) product {
	return products[slices.IndexFunc(products, func(p product) bool { return p.model == model })]
}

// typeName is what a machine with a number of a product's GPUs is called.
func (p product) typeName(gpus int) string { return fmt.Sprintf("%s.%dx", p.name, gpus) }

// sizes returns with how many GPUs machines are sold: powers of two, up to a whole node.
func (a *API) sizes() []int {
	whole := a.config.Scenario.Fleet().GPUsPerNode
	var sizes []int
	for n := 1; n < whole; n *= 2 {
		sizes = append(sizes, n)
	}
	return append(sizes, whole)
}

// capacities lists how many machines of each type could be had now, and where; 0 is listed too.
func (a *API) capacities(q *listRequest) []item {
	names, locations := q.filter("product_name"), q.filter("location")
	var items []item
	for i, p := range products {
		for j, location := range p.locations {
			if !admits(locations, location) {
				continue
			}
			free := a.spare(uint64(i*len(products)+j), q.now)
			if location == scenario.Home {
				free += a.released(p.model, q.now)
			}
			for _, gpus := range a.sizes() {
				if name := p.typeName(gpus); admits(names, name) {
					items = append(items, item{"type": name, "location": location, "quantity": free / gpus, "quota_type": "gpus." + p.name})
				}
			}
		}
	}
	return items
}

// spare returns how many GPUs other tenants leave of a pool that is half as large as the fleet.
func (a *API) spare(pool uint64, t int64) int {
	f := a.config.Scenario.Fleet()
	size := max(len(f.Nodes)/2, 1) * f.GPUsPerNode
	return int(float64(size) * (1 - a.config.Scenario.Demand(pool, t)))
}

// released returns how many GPUs of a model the fleet's own work leaves at t: those of pools without a running
// job, and what the serving pool doesn't need. Drained nodes are not to be had.
func (a *API) released(model string, t int64) int {
	st := a.config.Scenario
	drained := a.drained(t)
	free := 0
	for pool := scenario.Pretraining; pool < scenario.NodePools; pool++ {
		first, end := st.Fleet().Range(pool)
		if first == end || st.Fleet().Nodes[first].GPUModel != model {
			continue
		}
		load := st.Reader(pool, t).At(t)
		gpus := (end - first) * st.Fleet().GPUsPerNode
		switch {
		case pool == scenario.Serving:
			free += int(float64(gpus) * (1 - load.Requests))
		case load.Compute == 0:
			free += gpus
			for node := range drained {
				if node >= first && node < end {
					free -= st.Fleet().GPUsPerNode
				}
			}
		}
	}
	return free
}
