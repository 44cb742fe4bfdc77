package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/bench/grafana"
	"github.com/gpucloud/gpucloud-platform-datasource/bench/report"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// contender is a data source in Grafana, a platform for it alone, and the times of its queries.
type contender struct {
	grafana.Datasource
	testbed *testbed
	times   []time.Duration
}

// throughGrafana plays the wall display through a real Grafana on this machine, on our data source and on Grafana's own
// Prometheus data source, by the real clock. Each refresh is first one's turn, then the other's. Both data sources are made
// for that and deleted afterwards.
func throughGrafana(ctx context.Context, o options, r *report.Report) error {
	client, err := grafana.New(o.grafana)
	if err != nil {
		return err
	}
	ours, theirs := ourContender(o.latency), prometheusContender(o.latency)
	both := []*contender{ours, theirs}
	for _, c := range both {
		defer c.testbed.close()
		if err := client.Create(ctx, c.Datasource); err != nil {
			return err
		}
		// Not with ctx: an interrupted bench cleans up, too.
		defer func() { _ = client.Delete(context.WithoutCancel(ctx), c.UID) }()
	}
	ticker := time.NewTicker(wallPause)
	defer ticker.Stop()
	for refresh := range wallRefreshes {
		for _, c := range both {
			c.testbed.now.Store(time.Now().UnixMilli())
			if err := c.lookThrough(ctx, client); err != nil {
				return err
			}
		}
		if refresh == wallRefreshes-1 {
			break
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	group := r.Group("Through Grafana: wall display of %d viewers × %d panels (%s at %s) × %d refreshes every %s, compared with Grafana's Prometheus data source",
		wallViewers, len(wallPanels), short(wallSpan), short(wallStep), wallRefreshes, short(wallPause))
	group.Compare("upstream requests", report.Number(ours.testbed.requests()), report.Number(theirs.testbed.requests()), report.Goal{})
	group.Compare("upstream bytes", report.Size(ours.testbed.Counters().BytesSent), report.Size(theirs.testbed.Counters().BytesSent), report.Goal{})
	for _, percent := range []int{50, 95} {
		group.Compare(fmt.Sprintf("query, p%d", percent), report.Took(percentile(ours.times, percent)),
			report.Took(percentile(theirs.times, percent)), report.Goal{})
	}
	return nil
}

func ourContender(latency time.Duration) *contender {
	s := newTestbed(64, latency)
	return &contender{testbed: s, Datasource: grafana.Datasource{
		Name: "bench-gpucloud", UID: "bench-gpucloud", Type: plugin.ID,
		JSONData:       map[string]any{"baseUrl": s.server.URL, "projectId": platform.DefaultProjectID},
		SecureJSONData: map[string]string{"monitoringToken": platform.DefaultMonitoringToken},
	}}
}

func prometheusContender(latency time.Duration) *contender {
	s := newTestbed(64, latency)
	return &contender{testbed: s, Datasource: grafana.Datasource{
		Name: "bench-prometheus", UID: "bench-prometheus", Type: "prometheus", URL: s.server.URL + s.MetricsPath(),
		JSONData:       map[string]any{"httpMethod": "GET", "timeInterval": "60s", "httpHeaderName1": "Authorization"},
		SecureJSONData: map[string]string{"httpHeaderValue1": "Bearer " + platform.DefaultMonitoringToken},
	}}
}

// lookThrough is one refresh of all viewers at once.
func (c *contender) lookThrough(ctx context.Context, client *grafana.Client) error {
	var mu sync.Mutex
	end := time.Now()
	return everyone(func(expr string) error {
		took, err := timed(func() error {
			frames, err := client.Query(ctx, c.Datasource, expr, end.Add(-wallSpan), end, wallStep)
			if err == nil && frames == 0 {
				err = fmt.Errorf("%s has no result of %s", c.Name, expr)
			}
			return err
		})
		mu.Lock()
		defer mu.Unlock()
		c.times = append(c.times, took)
		return err
	})
}
