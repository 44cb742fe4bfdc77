package placement

import (
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// The lists of the main API that are read. The specification doesn't name the members of their items: those that are read are
// members of public APIs of this kind. Nothing is read out of a name.
//
// Source: https://github.com/crusoecloud/client-go, swagger/v1: CapacityV1, ModelType, ProjectQuota, KubernetesNodePool
const (
	capacitiesPath         = "/v1/capacities"                                // type, location, quantity, quota_type
	typesPath              = "/v1/projects/{projectId}/compute/vms/types"    // product_name, num_gpu or gpus, gpu_type or gpu_model
	quotasPath             = "/v1/projects/{projectId}/quotas"               // type, programmatic_name, available, max or limit, used
	nodePoolsPath          = "/v1/projects/{projectId}/kubernetes/nodepools" // cluster_id, name, type
	kubernetesClustersPath = "/v1/projects/{projectId}/kubernetes/clusters"  // id, location
	slurmClustersPath      = "/v1/projects/{projectId}/slurm/clusters"       // id, location
)

// amount is the first of the members that is a number which has a meaning here, rounded down.
func amount(one query.Record, members ...string) (float64, bool) {
	for _, member := range members {
		if value := one.Number(member); value != nil && *value >= 0 {
			return math.Floor(*value), true
		}
	}
	return 0, false
}

// machineType is what the list of machine types says of one of them.
type machineType struct {
	gpus float64
	// gpu is the type of its GPUs, or "".
	gpu string
}

// readMachineTypes reads the list of machine types, by name in lower case. Items without a number of GPUs are left out.
func readMachineTypes(list iter.Seq[query.Record]) map[string]machineType {
	types := map[string]machineType{}
	for one := range list {
		if gpus, ok := amount(one, "num_gpu", "gpus"); ok {
			types[strings.ToLower(one.Text("product_name"))] = machineType{gpus, one.Text("gpu_type", "gpu_model")}
		}
	}
	return types
}

// product is a machine type that can be started at a location.
type product struct {
	name string
	// size is the number of its GPUs; 0 if it isn't known.
	size float64
	// machines is how many can be started; nil if the platform doesn't say.
	machines *float64
	// quotaType is the quota that it counts against, or "".
	quotaType string
}

// offer are the products of a GPU type at a location. They are cut from the same GPUs.
type offer struct {
	gpu, location string
	products      []product
}

// maxProducts bounds the products at locations.
const maxProducts = 2000

// readCapacities reads the list of capacities, for the chosen types and locations. It reads no more than maxProducts of them.
// Machines without GPUs are left out. One whose GPUs aren't known is a GPU type of its own.
func readCapacities(list iter.Seq[query.Record], types map[string]machineType, chosen *choice, notices *query.Notices) []*offer {
	type place struct{ gpu, location string }
	offers := map[place]*offer{}
	var sorted []*offer
	products := 0
	for one := range list {
		p := product{name: one.Text("type", "product_name"), quotaType: one.Text("quota_type")}
		machine, known := types[strings.ToLower(p.name)]
		gpu, location := machine.gpu, one.Text("location")
		if gpu == "" {
			gpu = p.name
		}
		if p.name == "" || known && machine.gpus == 0 || !chosen.gpu(gpu, p.name) || !chosen.locations.Has(location) {
			continue
		}
		if products++; products > maxProducts {
			notices.Cut("Only the first %d products are considered. Choose GPU types or locations.", maxProducts)
			break
		}
		p.size = machine.gpus
		if quantity, ok := amount(one, "quantity"); ok {
			p.machines = &quantity
		}
		key := place{strings.ToLower(gpu), location}
		if offers[key] == nil {
			offers[key] = &offer{gpu: gpu, location: location}
			sorted = append(sorted, offers[key])
		}
		offers[key].add(p)
	}
	return sorted
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

// quota is how much the project may still take of something.
type quota struct {
	name, location string
	// left is in GPUs; infinite if it isn't known.
	left float64
	// doubt is why less may be left, or "".
	doubt string
}

// quotas are those of the project by each of their names, in lower case.
type quotas map[string][]*quota

// readQuotas reads the list of quotas. ok is false if it is in another shape, so that no item has a name.
func readQuotas(list iter.Seq[query.Record]) (found quotas, ok bool) {
	found, ok = quotas{}, true
	for one := range list {
		ok = len(found) > 0
		q := readQuota(one)
		for _, member := range []string{"type", "programmatic_name", "name", "id"} {
			if name := strings.ToLower(one.Text(member)); name != "" && !slices.Contains(found[name], q) {
				found[name] = append(found[name], q)
			}
		}
	}
	return found, ok || len(found) > 0
}

// readQuota reads what a quota leaves. Where several numbers say it, the smallest counts.
func readQuota(one query.Record) *quota {
	q := &quota{name: one.Text("name", "programmatic_name", "type", "id"), location: one.Text("location"), left: math.Inf(1)}
	left, isLeft := amount(one, "available")
	limit, isLimit := amount(one, "max", "limit")
	used, isUsed := amount(one, "used")
	if isLeft {
		q.left = left
	}
	if isLimit && (isUsed || !isLeft) {
		q.left = math.Min(q.left, math.Max(0, limit-used))
	}
	switch unit := strings.ToLower(one.Text("unit")); {
	case unit != "" && unit != "gpu" && unit != "gpus":
		q.left, q.doubt = math.Inf(1), "the quota "+q.name+" is counted in "+unit
	case !isLeft && !isLimit:
		q.doubt = "what the quota " + q.name + " leaves is not known"
	case !isLeft && !isUsed && q.left > 0:
		q.doubt = "how much of the quota " + q.name + " is in use is not known"
	}
	return q
}

// of are the quotas that a product at a location counts against, and those of the same name that may apply, too: of a location
// at which nothing is offered, which may be a region.
func (all quotas) of(p *product, location string, offered map[string]bool) (apply, perhaps []*quota) {
	if p.quotaType == "" {
		return nil, nil
	}
	for _, q := range all[strings.ToLower(p.quotaType)] {
		switch {
		case q.location == "" || strings.EqualFold(q.location, location):
			apply = append(apply, q)
		case !offered[strings.ToLower(q.location)]:
			perhaps = append(perhaps, q)
		}
	}
	return apply, perhaps
}
