package placement

import (
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// list is a list of the main API that is read.
type list struct {
	path string
	// what is missing without it.
	what string
	// ofNodes is set if it is about own nodes.
	ofNodes bool
	read    func(k *knowledge, items iter.Seq[query.Record], q *request)
}

const (
	capacitiesPath = "/v1/capacities"
	quotasPath     = "/v1/projects/{projectId}/quotas"
)

// lists are in the order in which they are read: capacities need the types. The specification doesn't name the members of their
// items: those that are read are members of public APIs of this kind, in docs/reference/queries.md. Nothing is read out of a name.
//
// Source: https://github.com/crusoecloud/client-go, swagger/v1: CapacityV1, ModelType, ProjectQuota, KubernetesNodePool
var lists = []list{
	{"/v1/projects/{projectId}/compute/vms/types", "Machine types", false, (*knowledge).readTypes},
	{quotasPath, "Quotas", false, (*knowledge).readQuotas},
	{capacitiesPath, "New machines", false, (*knowledge).readCapacities},
	{"/v1/projects/{projectId}/kubernetes/nodepools", "Types of own nodes", true, (*knowledge).readNodePools},
	{"/v1/projects/{projectId}/kubernetes/clusters", "Locations of own nodes", true, (*knowledge).readClusters},
	{"/v1/projects/{projectId}/slurm/clusters", "Locations of own nodes", true, (*knowledge).readClusters},
}

// amount is the first of the members that is a number which has a meaning here, rounded down.
func amount(one query.Record, members ...string) (float64, bool) {
	if value := one.Amount(members...); value != nil {
		return math.Floor(*value), true
	}
	return 0, false
}

// machineType is what the list of machine types says of one of them.
type machineType struct {
	gpus float64
	// gpu is the type of its GPUs, or "".
	gpu string
}

// readTypes reads the machine types, by name in lower case. Items without a name or a number of GPUs are left out.
func (k *knowledge) readTypes(items iter.Seq[query.Record], _ *request) {
	k.types = map[string]machineType{}
	for one := range items {
		name := strings.ToLower(one.Text("product_name"))
		if gpus, ok := amount(one, "num_gpu", "gpus"); ok && name != "" {
			k.types[name] = machineType{gpus, one.Text("gpu_type", "gpu_model")}
		}
	}
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

// readCapacities reads the capacities of the chosen types and locations. Machines without GPUs are left out. One whose GPUs aren't known
// is a GPU type of its own.
func (k *knowledge) readCapacities(items iter.Seq[query.Record], q *request) {
	type key struct{ gpu, location string }
	offers := map[key]*offer{}
	k.offered = map[string]bool{}
	products := 0
	for one := range items {
		p := product{name: one.Text("type", "product_name"), quotaType: one.Text("quota_type")}
		machine, isKnown := k.types[strings.ToLower(p.name)]
		gpu, location := machine.gpu, one.Text("location")
		k.offered[strings.ToLower(location)] = true
		if gpu == "" {
			gpu = p.name
		}
		if p.name == "" || isKnown && machine.gpus == 0 || !q.chooses(gpu, p.name) || !q.Locations.Has(location) {
			continue
		}
		if products++; products > maxProducts {
			q.notices.Cut("Only the first %d products are considered. Choose GPU types or locations.", maxProducts)
			break
		}
		p.size = machine.gpus
		if quantity, ok := amount(one, "quantity"); ok {
			p.machines = &quantity
		}
		at := key{strings.ToLower(gpu), location}
		if offers[at] == nil {
			offers[at] = &offer{gpu: gpu, location: location}
			k.offers = append(k.offers, offers[at])
		}
		offers[at].add(p)
	}
}

// add adds a product. Of two items for the same product the smaller counts, because which of them holds isn't known.
func (o *offer) add(p product) {
	i := slices.IndexFunc(o.products, func(known product) bool { return known.name == p.name })
	if i < 0 {
		o.products = append(o.products, p)
	} else if known := o.products[i].machines; known != nil && (p.machines == nil || *p.machines < *known) {
		o.products[i].machines = p.machines
	}
}

// quota is how much the project may still take of something.
type quota struct {
	name, location string
	// left is in GPUs; infinite if it isn't known.
	left float64
	// doubt is why left isn't known, or "".
	doubt string
}

// quotas are those of the project by each of their names, in lower case.
type quotas map[string][]*quota

func (k *knowledge) readQuotas(items iter.Seq[query.Record], _ *request) {
	k.quotas = quotas{}
	for one := range items {
		q := readQuota(one)
		for _, member := range []string{"type", "programmatic_name", "name", "id"} {
			if name := strings.ToLower(one.Text(member)); name != "" && !slices.Contains(k.quotas[name], q) {
				k.quotas[name] = append(k.quotas[name], q)
			}
		}
	}
}

func readQuota(one query.Record) *quota {
	q := &quota{name: one.Text("name", "programmatic_name", "type", "id"), location: one.Text("location"), left: math.Inf(1)}
	left, isLeft := amount(one, "available")
	limit, isLimit := amount(one, "max", "limit")
	used, isUsed := amount(one, "used")
	switch unit := strings.ToLower(one.Text("unit")); {
	case unit != "" && unit != "gpu" && unit != "gpus":
		q.doubt = "the quota " + q.name + " is counted in " + unit
	case isLeft:
		q.left = left
	case isLimit && isUsed:
		q.left = math.Max(0, limit-used)
	default:
		q.doubt = "what the quota " + q.name + " leaves is not known"
	}
	return q
}

// readNodePools reads which machines node pools have. Without a name it is not known which node pool it is.
func (k *knowledge) readNodePools(items iter.Seq[query.Record], _ *request) {
	for one := range items {
		if name := one.Text("name"); name != "" {
			k.machines[poolID{one.Text("cluster_id"), name}] = one.Text("type")
		}
	}
}

// readClusters reads where clusters are.
func (k *knowledge) readClusters(items iter.Seq[query.Record], _ *request) {
	for one := range items {
		for _, id := range []string{one.Text("name"), one.Text("id")} {
			if id != "" {
				k.clusters[id] = cluster{one.Text("name"), one.Text("location")}
			}
		}
	}
}
