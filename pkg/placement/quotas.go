package placement

import (
	"math"
	"slices"
	"strings"
)

// quota is how much the project may still take of something with GPUs.
type quota struct {
	label string
	names []name
	// plain are the names without the words that don't tell GPUs apart.
	plain    []name
	ids      []string
	location string
	// left is in GPUs, or in machines if ofMachines is set. It is infinite for a quota without a limit.
	left       float64
	ofMachines bool
	// doubt is why less may be left, or "".
	doubt string
}

// quotas are what the project may have.
type quotas struct {
	// byGPU are the quotas of GPUs by the word of the model in their names; "" has those of GPUs of any type.
	byGPU map[string][]*quota
	// byID are all quotas by their names, in lower case.
	byID map[string][]*quota
	// ofGPUs is the number of quotas of GPUs.
	ofGPUs int
}

// maxQuotas bounds the quotas of GPUs, each of which is compared with each product.
const maxQuotas = 500

// Words of the names of quotas that don't tell GPUs apart.
var quotaWords = []string{
	"gpu", "gpus", "quota", "quotas", "type", "nvidia", "amd", "limit", "max", "count", "total", "num", "number", "of", "all", "regions",
	"region", "zone", "per", "project", "global", "compute", "tensor", "core", "vm", "vms", "instance", "instances", "machine", "machines",
}

// quotaUnits are the units of quotas, in lower case, and whether they are machines. Other units are of no quota of GPUs.
var quotaUnits = map[string]bool{
	"": false, "gpu": false, "gpus": false, "card": false, "cards": false, "slice": false, "slices": false, "count": false, "1": false,
	"vm": true, "vms": true, "instance": true, "instances": true, "machine": true, "machines": true, "node": true, "nodes": true,
}

// readQuotas reads the list of quotas. ok is false if it is in another shape, so that no item has a name.
//
// Members that are known: type, available, max and used (Crusoe Cloud), metric, limit and usage (Google Cloud), name, limit and
// in_use (OpenStack, whose limit -1 means none).
func readQuotas(list []any) (found quotas, ok bool) {
	found = quotas{byGPU: map[string][]*quota{}, byID: map[string][]*quota{}}
	for _, one := range objects(list) {
		q := readNames(one)
		unit := strings.ToLower(one.text("unit", "units"))
		machines, known := quotaUnits[unit]
		if len(q.names) == 0 || !known {
			ok = ok || len(q.names) > 0
			continue
		}
		ok = true
		q.ofMachines = machines || unit == "" && q.countsMachines()
		q.readLeft(one)
		for _, id := range q.ids {
			found.byID[id] = append(found.byID[id], q)
		}
		if gpu, isGPU := q.gpuWord(); isGPU {
			found.byGPU[gpu] = append(found.byGPU[gpu], q)
			found.ofGPUs++
		}
	}
	return found, ok || len(list) == 0
}

func readNames(one item) *quota {
	q := &quota{location: one.location()}
	for _, member := range []string{"name", "type", "quota_type", "product_name", "metric", "resource", "id"} {
		if text := one.text(member); text != "" {
			n := parseName(text)
			q.names, q.plain, q.ids = append(q.names, n), append(q.plain, n.without(quotaWords)), append(q.ids, strings.ToLower(text))
			if q.label == "" {
				q.label = text
			}
		}
	}
	return q
}

// gpuWord is the word of the GPU model in the names of a quota. isGPU is true without one, too, if the quota is of GPUs of any
// type.
func (q *quota) gpuWord() (gpu string, isGPU bool) {
	for _, n := range q.names {
		if n.gpu != "" {
			return n.gpu, true
		}
	}
	for _, n := range q.names {
		if n.has("gpu") || n.has("gpus") {
			return "", true
		}
	}
	return "", false
}

func (q *quota) countsMachines() bool {
	return slices.ContainsFunc(q.names, func(n name) bool {
		return slices.ContainsFunc(n.words, func(word string) bool { return quotaUnits[word] })
	})
}

// readLeft reads what a quota leaves. Where several numbers say it, the smallest counts.
func (q *quota) readLeft(one item) {
	left, isLeft := one.number("available", "left", "remaining", "free")
	limit, isLimit := one.number("limit", "max", "maximum", "total", "quota", "value")
	used, isUsed := one.number("used", "usage", "in_use", "current", "consumed")
	unlimited := isLimit && limit == -1
	q.left = math.Inf(1)
	if isLeft && !(unlimited && left < 0) {
		q.left = math.Max(0, math.Floor(left))
	}
	if isLimit && !unlimited && (isUsed || !isLeft) {
		q.left = math.Min(q.left, math.Max(0, math.Floor(limit-math.Max(0, used))))
	}
	switch {
	case !isLeft && !isLimit:
		q.doubt = "the quota " + q.label + " has no number that is understood"
	case !isLeft && !isUsed && q.left > 0 && !unlimited:
		q.doubt = "how much of the quota " + q.label + " is in use is not known"
	}
}

// at reports whether a quota is of a location: of that one, of a region that it is in, or of all.
func (q *quota) at(location string) bool {
	where, location := strings.ToLower(q.location), strings.ToLower(location)
	return where == "" || where == location || strings.HasPrefix(location, where+"-")
}

// gpus is how many GPUs a quota leaves for machines of a size.
func (q *quota) gpus(size float64) float64 {
	if q.ofMachines {
		return q.left * size
	}
	return q.left
}

// of are the quotas that apply to a product of a GPU type at a location, and those that may apply.
//
// The platform may name the quota of a product. Else words decide: all words of the quota's name but those for a quota belong to
// the product. A quota of the same GPU model with other words, such as spot, may apply, unless another one of the model does.
func (all quotas) of(gpu name, p *product, location string) (apply, perhaps []*quota) {
	full := name{words: slices.Concat(gpu.words, parseName(p.name).words, parseName(p.model).words)}
	isSpecific := false
	for _, q := range all.byID[strings.ToLower(p.quotaType)] {
		if q.at(location) {
			apply, isSpecific = append(apply, q), true
		}
	}
	for _, q := range all.byGPU[gpu.gpu] {
		switch {
		case gpu.gpu == "" || !q.at(location) || slices.Contains(apply, q):
		case q.named(func(n, plain name) bool { return n.mayBe(gpu) && plain.isPartOf(full) }):
			apply, isSpecific = append(apply, q), true
		case q.named(func(n, _ name) bool { return n.mayBe(gpu) }):
			perhaps = append(perhaps, q)
		}
	}
	if isSpecific {
		perhaps = nil
	}
	for _, q := range all.byGPU[""] {
		switch {
		case !q.at(location) || slices.Contains(apply, q):
		case q.named(func(n, plain name) bool { return (n.has("gpu") || n.has("gpus")) && len(plain.words) == 0 }):
			apply = append(apply, q)
		case !isSpecific:
			perhaps = append(perhaps, q)
		}
	}
	return apply, perhaps
}

// named reports whether one of the names fulfills a condition.
func (q *quota) named(condition func(n, plain name) bool) bool {
	for i, n := range q.names {
		if condition(n, q.plain[i]) {
			return true
		}
	}
	return false
}
