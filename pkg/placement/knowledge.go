package placement

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/platform"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// The lists of the main API that are read.
const (
	capacitiesPath = "/v1/capacities"
	quotasPath     = "/v1/projects/{projectId}/quotas"
	typesPath      = "/v1/projects/{projectId}/compute/vms/types"
)

// clusterPaths are lists with the locations of clusters, which the metrics don't have.
var clusterPaths = []string{"/v1/projects/{projectId}/kubernetes/clusters", "/v1/projects/{projectId}/slurm/clusters"}

// knowledge is what the services said.
type knowledge struct {
	offers []offer
	quotas quotas
	// noQuotas is why the quotas are not known, as the end of a sentence, or "".
	noQuotas string
	pools    []*pool
	// locations are those of clusters, by id.
	locations map[string]string
	// nodesErr is why there are no pools, or nil.
	nodesErr error
	// failed are the services that failed: what isn't considered, and the error.
	failed []failure
}

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

// explainFailures warns of what a table lacks.
func (k *knowledge) explainFailures(q *parsedQuery) {
	for _, one := range k.failed {
		q.notices.Warn("%s not considered. %s", one.what, one.err)
	}
}

// ask asks both services. Its error is why neither can be asked, or the context's.
func (c *Client) ask(ctx context.Context, q *parsedQuery) (*knowledge, error) {
	if c.Lists == nil && c.Metrics == nil {
		return nil, c.ListsErr
	}
	k := &knowledge{}
	var ofNodes query.Notices
	var group errgroup.Group
	if c.Metrics == nil {
		k.nodesErr = c.MetricsErr
		q.notices.Info("Own idle nodes are not considered. %s", c.MetricsErr)
	} else {
		group.Go(func() error {
			k.pools, k.nodesErr = c.idleNodes(ctx, q, &ofNodes)
			return nil
		})
	}
	if c.Lists == nil {
		q.notices.Info("Capacities and quotas are not considered. %s", c.ListsErr)
	} else if err := c.askLists(ctx, q, k); err != nil {
		k.failed = append(k.failed, failure{"New machines are", err})
	}
	_ = group.Wait()
	if len(k.pools) > 0 && c.Lists != nil {
		var err error
		if k.locations, err = c.clusterLocations(ctx); err != nil && !q.locations.All() {
			k.failed = append(k.failed, failure{"Some own nodes are", err})
		}
	}
	if k.nodesErr != nil && c.Metrics != nil {
		k.failed = append(k.failed, failure{"Own idle nodes are", k.nodesErr})
	}
	q.notices.Append(ofNodes)
	return k, ctx.Err()
}

// askLists reads capacities, quotas and machine types. Its error is that of the capacities, or of numbers without quotas.
func (c *Client) askLists(ctx context.Context, q *parsedQuery, k *knowledge) error {
	type answer struct {
		*platform.Items
		err error
	}
	var capacities, quotaList, types answer
	var group errgroup.Group
	for path, to := range map[string]*answer{capacitiesPath: &capacities, quotasPath: &quotaList, typesPath: &types} {
		group.Go(func() error {
			to.Items, to.err = c.Lists.Items(ctx, path)
			return nil
		})
	}
	_ = group.Wait()
	if capacities.err != nil {
		return capacities.err
	}
	for _, text := range capacities.Notices {
		q.notices.Warn("Capacities: %s", text)
	}
	k.offers = readCapacities(capacities.Items.Items, c.machineTypes(q, types.Items, types.err), q.choice, &q.notices)
	return k.learnQuotas(q, quotaList.Items, quotaList.err)
}

// learnQuotas reads the list of quotas. What can't be read is a notice. For numbers it is an error, because alert rules would
// take what is left out for a platform without room.
func (k *knowledge) learnQuotas(q *parsedQuery, list *platform.Items, err error) error {
	switch {
	case err != nil && !isNotServed(err):
		k.noQuotas = "quotas can't be read"
		k.failed = append(k.failed, failure{"Quotas are", err})
		return nil
	case err != nil:
		k.noQuotas = "quotas are not served"
	default:
		var ok bool
		if k.quotas, ok = readQuotas(list.Items); !ok {
			k.noQuotas = "the list of quotas has a shape that is not understood"
		} else if list.Partial {
			k.noQuotas = "not all quotas were read"
		} else if k.quotas.ofGPUs > maxQuotas {
			k.quotas, k.noQuotas = quotas{}, fmt.Sprintf("there are %d quotas of GPUs, and the limit is %d", k.quotas.ofGPUs, maxQuotas)
		}
	}
	if k.noQuotas == "" || len(k.offers) == 0 {
		return nil
	}
	if q.isNumeric() {
		return &query.Error{Field: "Quotas", Message: k.noQuotas + ", so how many GPUs can be had is not known. Query capacities instead."}
	}
	q.notices.Warn("Not considered: %s.", k.noQuotas)
	return nil
}

// machineTypes are the machine types of the list, or nil if it isn't served or can't be read.
func (c *Client) machineTypes(q *parsedQuery, list *platform.Items, err error) map[string]machineType {
	if err != nil {
		if !isNotServed(err) {
			q.notices.Warn("The number of GPUs of machines is read from their names, because the list of machine types can't be read. %s", err)
		}
		return nil
	}
	types := readMachineTypes(list.Items)
	if len(types) == 0 && len(list.Items) > 0 {
		q.notices.Warn("The list of machine types has a shape that is not understood. The number of GPUs of machines is read from their names.")
	}
	return types
}

// clusterLocations are the locations of clusters, by id and name. A list that isn't served is left out; the error is that of
// another failure, with the locations that are known nevertheless.
func (c *Client) clusterLocations(ctx context.Context) (locations map[string]string, failure error) {
	locations = map[string]string{}
	for _, path := range clusterPaths {
		list, err := c.Lists.Items(ctx, path)
		if err != nil {
			if !isNotServed(err) {
				failure = err
			}
			continue
		}
		for _, one := range objects(list.Items) {
			for _, member := range []string{"name", "id"} {
				if id := one.text(member); id != "" && one.location() != "" {
					locations[id] = one.location()
				}
			}
		}
	}
	return locations, failure
}

// isNotServed reports whether a list doesn't exist on this platform, or can't be addressed because no project is set.
func isNotServed(err error) bool {
	var invalid *query.Error
	return errors.Is(err, transport.ErrNotFound) || errors.As(err, &invalid)
}
