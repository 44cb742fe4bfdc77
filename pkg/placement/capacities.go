package placement

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// product is a machine type that can be started at a location.
type product struct {
	name string
	// size is the number of its GPUs.
	size float64
	// machines is how many can be started; nil if the platform doesn't say.
	machines *float64
	// model is the name of its GPU in the list of machine types, or "".
	model string
	// quotaType is the quota that the platform says it counts against, or "".
	quotaType string
}

// offer are the products of a GPU type at a location. They are cut from the same GPUs.
type offer struct {
	gpu, location string
	products      []product
}

// maxProducts bounds the products at locations, each of which is compared with each quota.
const maxProducts = 2000

// readCapacities reads the list of capacities, for the chosen types and locations. types is nil if the list of machine types is
// not known: the sizes are those of the names then.
//
// It reads no more than maxProducts of them. It warns of products of unknown size. Those that the list of types or the name says to be without GPUs are left out.
func readCapacities(list []any, types map[string]machineType, chosen choice, notices *query.Notices) []offer {
	offers := map[[2]string]*offer{}
	isChosen := map[string]bool{} // by product: locations have the same ones
	products := 0
	var unsized []string
	for _, one := range objects(list) {
		p := product{name: one.text("type", "product_name", "name"), quotaType: one.text("quota_type")}
		location := one.location()
		if p.name == "" || !chosen.location(location) {
			continue
		}
		gpu, ok := p.resolve(types)
		if !ok {
			if p.size == 0 && chosen.types.All() && !slices.Contains(unsized, p.name) {
				unsized = append(unsized, p.name)
			}
			continue
		}
		if _, known := isChosen[p.name]; !known {
			isChosen[p.name] = chosen.gpu(parseName(gpu), parseName(p.name))
		}
		if p.size == 0 || !isChosen[p.name] {
			continue
		}
		if products++; products > maxProducts {
			notices.Warn("Only the first %d products are considered. Choose GPU types or locations.", maxProducts)
			break
		}
		if quantity, ok := one.number("quantity"); ok {
			machines := math.Max(0, math.Floor(quantity))
			p.machines = &machines
		}
		key := [2]string{strings.ToLower(gpu), location}
		if offers[key] == nil {
			offers[key] = &offer{gpu: gpu, location: location}
		}
		offers[key].add(p)
	}
	if len(unsized) > 0 {
		slices.Sort(unsized)
		notices.Info("Products whose number of GPUs can't be read are not considered: %s.", list3(unsized))
	}
	sorted := make([]offer, 0, len(offers))
	for _, o := range offers {
		sorted = append(sorted, *o)
	}
	slices.SortFunc(sorted, func(a, b offer) int {
		return cmp.Or(strings.Compare(a.gpu, b.gpu), strings.Compare(a.location, b.location))
	})
	return sorted
}

// resolve sets the size of a product, and returns its GPU type. A product without GPUs has the size 0. ok is false if the size
// can't be read.
func (p *product) resolve(types map[string]machineType) (gpu string, ok bool) {
	gpu, size, sized := splitSize(p.name)
	known, listed := types[p.name]
	p.model = known.model
	switch {
	case listed && known.gpus == 0:
		return gpu, true
	case listed:
		p.size = math.Floor(known.gpus)
		if !sized && known.model != "" {
			gpu = known.model
		}
		return gpu, p.size > 0
	case sized && parseName(gpu).gpu != "":
		p.size = size
		return gpu, true
	}
	return gpu, false
}

// add adds a product. Of two items for the same product the smaller counts, because which of them holds isn't known.
func (o *offer) add(p product) {
	i := slices.IndexFunc(o.products, func(known product) bool { return known.name == p.name })
	if i < 0 {
		o.products = append(o.products, p)
		return
	}
	known := &o.products[i]
	if known.machines == nil || p.machines == nil {
		known.machines = nil
	} else {
		*known.machines = math.Min(*known.machines, *p.machines)
	}
}
