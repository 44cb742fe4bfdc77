package placement_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/mainapi"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/placement"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// noon is now.
var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// lists are the items of lists by path. Another list is not served.
type lists map[string][]string

func (l lists) Items(_ context.Context, path string) (*mainapi.Items, error) {
	if l[path] == nil {
		return nil, transport.ErrNotFound
	}
	return &mainapi.Items{All: func(yield func(query.Record) bool) {
		for _, item := range l[path] {
			if !yield(query.ParseRecord([]byte(item))) {
				return
			}
		}
	}}, nil
}

// recorded are results of the metrics that are there already, by their expressions.
type recorded map[string]*promql.Result

func (r recorded) Evaluate(_ context.Context, q promql.Query) (*promql.Result, error) {
	return r[q.Expr], nil
}

// capturing keeps the results of an engine, which evaluates one query at a time.
type capturing struct {
	*engine
	mu      sync.Mutex
	results recorded
}

func (c *capturing) Evaluate(ctx context.Context, q promql.Query) (result *promql.Result, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.results[q.Expr], err = c.engine.Evaluate(ctx, q)
	return c.results[q.Expr], err
}

// domain makes names of nodes so long that a query with those of 300 is over the limit of engines.
const domain = "rack.row.hall.building.campus.region.cloud.example.com"

// largePlatform has nodes of eight GPUs in 50 pools, which Slurm counts, and products at locations with a quota each.
func largePlatform(nodes, products int) (*capturing, lists) {
	metrics := &capturing{engine: &engine{}, results: recorded{}}
	for i := range nodes {
		for gpu := range 8 {
			of := labels.FromStrings("cluster_id", "c1", "nodepool_name", fmt.Sprint("p", i%50), "modelName", "H100", "Hostname", fmt.Sprintf("n-%d.%s", i, domain), "gpu", fmt.Sprint(gpu))
			metrics.load("DCGM_FI_DEV_GPU_UTIL", 0, of)
			metrics.load("DCGM_FI_DEV_FB_USED", 4, of)
		}
		metrics.load("vendor_slurm_node_cpus", 96, labels.FromStrings("cluster_id", "s1", "node", fmt.Sprint("n-", i)))
	}
	metrics.load("vendor_slurm_nodes_idle", float64(nodes-10), labels.FromStrings("cluster_id", "s1"))
	served := lists{}
	add := func(path, format string, args ...any) {
		served[path] = append(served[path], fmt.Sprintf(format, args...))
	}
	for i := range products {
		add("/v1/capacities", `{"type": "gpu-%d.8x", "location": "l%d", "quantity": 9, "quota_type": "q%d"}`, i, i%10, i)
		add("/v1/projects/{projectId}/compute/vms/types", `{"product_name": "gpu-%d.8x", "num_gpu": 8, "gpu_type": "gpu-%d"}`, i, i)
		add("/v1/projects/{projectId}/quotas", `{"type": "q%d", "available": 64}`, i)
	}
	return metrics, served
}

// TestPlatform_Requests requires that each list and the metrics are requested once, all at the same time.
func TestPlatform_Requests(t *testing.T) {
	const products = 300
	metrics, served := largePlatform(300, products)
	synctest.Test(t, func(t *testing.T) {
		slow := &slowServices{engine: metrics, lists: served, requests: map[string]int{}}
		client := &placement.Client{Metrics: slow, Lists: slow, Now: func() time.Time { return noon }}
		start := time.Now()
		frames, err := client.QueryData(t.Context(), backend.DataQuery{JSON: []byte(`{"gpus": 64}`)}, false)
		require.NoError(t, err)
		require.Equal(t, products+50, frames[0].Rows())
		require.Equal(t, time.Second, time.Since(start), "as long as one request takes")
		require.Less(t, metrics.longest, 16<<10, "engines refuse longer queries")
		require.Len(t, slow.requests, 7)
		for path, count := range slow.requests {
			if path == "metrics" {
				count -= 2 // codes and earlier times have queries of their own
			}
			require.Equal(t, 1, count, path)
		}
		numbers, err := client.QueryData(t.Context(), backend.DataQuery{JSON: []byte(`{"gpus": 64}`)}, true)
		require.NoError(t, err)
		require.Equal(t, data.FrameTypeNumericMulti, numbers[0].Meta.Type, "of a table, in an alert rule")
	})
}

// slowServices take a second for each request.
type slowServices struct {
	engine   *capturing
	lists    lists
	mu       sync.Mutex
	requests map[string]int
}

func (s *slowServices) wait(request string) {
	s.mu.Lock()
	s.requests[request]++
	s.mu.Unlock()
	time.Sleep(time.Second)
}

func (s *slowServices) Evaluate(ctx context.Context, q promql.Query) (*promql.Result, error) {
	s.wait("metrics")
	return s.engine.Evaluate(ctx, q)
}

func (s *slowServices) Items(ctx context.Context, path string) (*mainapi.Items, error) {
	s.wait(path)
	return s.lists.Items(ctx, path)
}
