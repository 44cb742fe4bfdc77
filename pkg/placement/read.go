package placement

import (
	"context"
	"errors"
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
	// unbounded is why the quotas are not known, or "".
	unbounded string
	pools     []*pool
	// clusters are by id and by name. machines are the machine types of node pools.
	clusters map[string]cluster
	machines map[poolID]string
	// nodesErr is why there are no pools, or nil.
	nodesErr error
	// failed are the services that failed.
	failed []failure
	// unset is what isn't considered because its service has no settings, or "".
	unset string
}

type cluster struct{ name, location string }

// poolID is a node pool of a cluster.
type poolID struct{ cluster, nodePool string }

// failure is what isn't considered, and the error.
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

// explainFailures warns of what a result lacks.
func (k *knowledge) explainFailures(q *request) {
	for _, one := range k.failed {
		q.notices.Warn("%s not considered. %s", one.what, one.err)
	}
}

// read requests all that there is from both services at the same time. Its error is why neither can be queried, or the context's.
func (c *Client) read(ctx context.Context, q *request) (*knowledge, error) {
	if c.Lists == nil && c.Metrics == nil {
		return nil, c.ListsErr
	}
	k := &knowledge{nodesErr: c.MetricsErr, clusters: map[string]cluster{}, machines: map[poolID]string{}}
	group, _ := panics.NewGroup(ctx)
	var ofNodes query.Notices
	if c.Metrics == nil {
		k.unset = "own idle nodes"
		q.notices.Info("Own idle nodes are not considered. %s", c.MetricsErr)
	} else {
		group.Go(func() error {
			k.pools, k.nodesErr = c.ownNodes(ctx, q.at, &ofNodes)
			return nil
		})
	}
	responses := make([]response, len(lists))
	if c.Lists == nil {
		k.unset = "capacities and quotas"
		q.notices.Info("Capacities and quotas are not considered. %s", c.ListsErr)
	} else {
		for i, list := range lists {
			if list.ofNodes && c.Metrics == nil {
				continue
			}
			group.Go(func() error {
				responses[i].Items, responses[i].err = c.Lists.Items(ctx, list.path)
				return nil
			})
		}
	}
	if err := group.Wait(); err != nil { // a panic
		return nil, err
	}
	if c.Metrics != nil && k.nodesErr != nil {
		k.failed = append(k.failed, failure{"Own idle nodes are", k.nodesErr})
	}
	for i, list := range lists {
		if !list.ofNodes || len(k.pools) > 0 {
			k.learn(list, responses[i], q)
		}
	}
	q.notices.Append(ofNodes)
	return k, ctx.Err()
}

// response is a list of the main API, or why it could not be read. It has neither if the list was not requested.
type response struct {
	*mainapi.Items
	err error
}

// learn reads a list. One that is not served, or can't be addressed because no project is set, is no failure, but for capacities, which
// every platform has.
func (k *knowledge) learn(list list, got response, q *request) {
	var invalid *query.Error
	problem := ""
	switch {
	case got.err == nil && got.Items == nil:
		return
	case list.path != capacitiesPath && (errors.Is(got.err, transport.ErrNotFound) || errors.As(got.err, &invalid)):
		problem = "are not served"
	case got.err != nil:
		problem = "can't be read"
		k.failed = append(k.failed, failure{list.what + " are", got.err})
	default:
		for _, text := range got.Notices {
			q.notices.Warn("%s: %s", list.what, text)
		}
		if got.Cut != "" {
			problem = "are not all read"
			q.notices.Cut("%s are not all considered: %s", list.what, got.Cut)
		}
		list.read(k, got.All, q)
	}
	if list.path == quotasPath && problem != "" {
		k.unbounded = "quotas " + problem
	}
}

// typeOf is the GPU type of a pool: that of its machines, or the model of the metrics if that isn't known.
func (k *knowledge) typeOf(p *pool) string {
	if machine := k.types[strings.ToLower(k.machines[p.id()])]; machine.gpu != "" {
		return machine.gpu
	}
	return p.model
}
