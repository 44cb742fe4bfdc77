package placement

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"strings"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/mainapi"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/panics"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// knowledge is what the services said.
type knowledge struct {
	types  map[string]machineType
	offers []*offer
	// offered are the locations at which something is offered, in lower case.
	offered map[string]bool
	quotas  quotas
	// unbounded is why the quotas are not known, as the end of a sentence, or "".
	unbounded string
	pools     []*pool
	// locations and names are those of clusters, by id or name. machines are the machine types of node pools.
	locations, names map[string]string
	machines         map[poolID]string
	// nodesErr is why there are no pools, or nil.
	nodesErr error
	// failed are the services that failed: what isn't considered, and the error.
	failed []failure
}

// poolID is a node pool of a cluster.
type poolID struct{ cluster, nodePool string }

type failure struct {
	what string
	err  error
}

// failure is the error of the first service that failed, or nil.
func (k *knowledge) failure() error {
	if len(k.failed) == 0 {
		return nil
	}
	return k.failed[0].err
}

func (k *knowledge) fail(what string, err error) {
	if err != nil && !isNotServed(err) {
		k.failed = append(k.failed, failure{what, err})
	}
}

// explainFailures warns of what a table lacks.
func (k *knowledge) explainFailures(q *parsedQuery) {
	for _, one := range k.failed {
		q.notices.Warn("%s not considered. %s", one.what, one.err)
	}
}

// response is a list of the main API, or why it could not be read.
type response struct {
	mainapi.Items
	err error
}

// items are those that were read.
func (r *response) items() iter.Seq[query.Record] {
	if r.err != nil {
		return func(func(query.Record) bool) {}
	}
	return r.All
}

// ask requests all that there is from both services at the same time. Its error is why neither can be queried, that of numbers
// whose bounds are not known, or the context's.
func (c *Client) ask(ctx context.Context, q *parsedQuery) (*knowledge, error) {
	if c.Lists == nil && c.Metrics == nil {
		return nil, c.ListsErr
	}
	k := &knowledge{nodesErr: c.MetricsErr}
	group := panics.NewGroup(ctx)
	var ofNodes query.Notices
	lists := map[string]*response{}
	if c.Metrics == nil {
		q.notices.Info("Own idle nodes are not considered. %s", c.MetricsErr)
	} else {
		group.Go(func() error {
			k.pools, k.nodesErr = c.ownNodes(ctx, q, &ofNodes)
			return nil
		})
	}
	if c.Lists == nil {
		q.notices.Info("Capacities and quotas are not considered. %s", c.ListsErr)
	} else {
		paths := []string{capacitiesPath, typesPath, quotasPath}
		if c.Metrics != nil {
			paths = append(paths, nodePoolsPath, kubernetesClustersPath, slurmClustersPath)
		}
		for _, path := range paths {
			got := &response{}
			lists[path] = got
			group.Go(func() error {
				items, err := c.Lists.Items(ctx, path)
				if got.err = err; err == nil {
					got.Items = *items
				}
				return nil
			})
		}
	}
	if err := group.Wait(); err != nil { // a panic
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if c.Lists != nil {
		if err := k.learnOffers(q, lists); err != nil {
			return nil, err
		}
	}
	if c.Metrics != nil {
		k.fail("Own idle nodes are", k.nodesErr)
		k.learnClusters(q, lists)
	}
	q.notices.Append(ofNodes)
	return k, nil
}

// learnOffers reads capacities, machine types and quotas. Lists that can't be read are notices. For numbers they are an error,
// because alert rules would take what is left out for a platform without room.
func (k *knowledge) learnOffers(q *parsedQuery, lists map[string]*response) error {
	capacities, types, quotaList := lists[capacitiesPath], lists[typesPath], lists[quotasPath]
	if capacities.err != nil {
		k.failed = append(k.failed, failure{"New machines are", capacities.err})
		return nil //nolint:nilerr // own nodes are placed without them, and the failure is said
	}
	for _, text := range capacities.Notices {
		q.notices.Warn("Capacities: %s", text)
	}
	if incomplete := cmp.Or(capacities.Cut, types.Cut); incomplete != "" {
		q.notices.Cut("Not all capacities are considered: %s", incomplete)
	}
	k.fail("Machine types are", types.err)
	k.types = readMachineTypes(types.items())
	k.offers = readCapacities(capacities.items(), k.types, &q.choice, &q.notices)
	k.offered = map[string]bool{}
	for one := range capacities.items() {
		k.offered[strings.ToLower(one.Text("location"))] = true
	}
	k.fail("Quotas are", quotaList.err)
	var understood bool
	k.quotas, understood = readQuotas(quotaList.items())
	switch {
	case isNotServed(quotaList.err):
		k.unbounded = "quotas are not served"
	case quotaList.err != nil:
		k.unbounded = "quotas can't be read"
	case !understood:
		k.unbounded = "the list of quotas has a shape that is not understood"
	case quotaList.Cut != "":
		k.unbounded = "not all quotas were read"
	}
	if len(k.offers) == 0 {
		return nil
	}
	for _, missing := range []struct {
		field, why string
		isFailure  bool
	}{
		{"Quotas", k.unbounded, quotaList.err != nil && !isNotServed(quotaList.err)},
		{"Machine types", k.noTypes(types), types.err != nil && !isNotServed(types.err)},
	} {
		switch {
		case missing.why == "" || missing.isFailure:
		case q.isNumeric():
			return &query.Error{Field: missing.field, Message: missing.why + ", so how many GPUs can be had is not known. Query capacities instead."}
		default:
			q.notices.Warn("Not considered: %s.", missing.why)
		}
	}
	return nil
}

// noTypes is why the sizes of machines are not known, or "".
func (k *knowledge) noTypes(types *response) string {
	switch {
	case len(k.types) > 0:
		return ""
	case isNotServed(types.err):
		return "machine types are not served"
	}
	return "the list of machine types has a shape that is not understood"
}

// learnClusters reads where clusters are, and which machines their node pools have.
func (k *knowledge) learnClusters(q *parsedQuery, lists map[string]*response) {
	k.locations, k.names, k.machines = map[string]string{}, map[string]string{}, map[poolID]string{}
	if len(lists) == 0 {
		return
	}
	for _, path := range []string{kubernetesClustersPath, slurmClustersPath} {
		if len(k.pools) > 0 && !q.locations.All() {
			k.fail("Some own nodes are", lists[path].err)
		}
		for one := range lists[path].items() {
			for _, member := range []string{"name", "id"} {
				k.locations[one.Text(member)], k.names[one.Text(member)] = one.Text("location"), one.Text("name")
			}
		}
	}
	for one := range lists[nodePoolsPath].items() {
		k.machines[poolID{one.Text("cluster_id"), one.Text("name")}] = one.Text("type")
	}
}

// typeOf is the GPU type of a pool: that of its machines, or the model of the metrics if that isn't known.
func (k *knowledge) typeOf(p *pool) string {
	if machine := k.types[strings.ToLower(k.machines[p.id()])]; machine.gpu != "" {
		return machine.gpu
	}
	return p.model
}

// isNotServed reports whether a list doesn't exist on this platform, or can't be addressed because no project is set.
func isNotServed(err error) bool {
	var invalid *query.Error
	return errors.Is(err, transport.ErrNotFound) || errors.As(err, &invalid)
}
