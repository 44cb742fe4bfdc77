package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/bench/grafana"
	"github.com/gpucloud/gpucloud-platform-datasource/bench/report"
	"github.com/gpucloud/gpucloud-platform-datasource/bench/timing"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// contender is a data source in Grafana, a platform for it alone, and the times of its queries.
type contender struct {
	grafana.Datasource
	testbed   *testbed
	times     []time.Duration
	processor time.Duration // of Grafana and the plugin
	received  int64         // bytes from Grafana
}

// contenders are our data source and Grafana's own Prometheus data source.
type contenders struct {
	ours, theirs *contender
	client       *grafana.Client
}

// newContenders makes both data sources. close deletes them.
func newContenders(ctx context.Context, o options) (*contenders, error) {
	client, err := grafana.New(ctx, o.grafana)
	if err != nil {
		return nil, err
	}
	both := &contenders{ourContender(o.latency), prometheusContender(o.latency), client}
	for _, c := range both.list() {
		if err := client.Create(ctx, c.Datasource); err != nil {
			both.close(ctx)
			return nil, err
		}
	}
	return both, nil
}

func (b *contenders) list() []*contender { return []*contender{b.ours, b.theirs} }

// close deletes the data sources even after an interrupt.
func (b *contenders) close(ctx context.Context) {
	for _, c := range b.list() {
		_ = b.client.Delete(context.WithoutCancel(ctx), c.UID)
		c.testbed.close()
	}
}

// throughGrafana plays the wall display through a real Grafana on this machine, on our data source and on Grafana's own
// Prometheus data source, by the real clock. Each refresh is first one's turn, then the other's, and who goes first alternates.
func throughGrafana(ctx context.Context, o options, r *report.Report) error {
	both, err := newContenders(ctx, o)
	if err != nil {
		return err
	}
	defer both.close(ctx)
	ours, theirs := both.ours, both.theirs
	ticker := time.NewTicker(wallPause)
	defer ticker.Stop()
	for refresh := range wallRefreshes {
		for _, c := range timing.Turns(refresh, ours, theirs) {
			if err := c.lookThrough(ctx, both.client); err != nil {
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
	group.Compare("upstream requests"+wallArithmetic(), report.Number(ours.testbed.requests()), report.Number(theirs.testbed.requests()), report.Goal{})
	group.Compare("upstream bytes", report.Size(ours.testbed.Counters().BytesSent), report.Size(theirs.testbed.Counters().BytesSent), report.Goal{})
	group.Compare("bytes to the browser", report.Size(ours.received), report.Size(theirs.received), report.AtMost(0.4))
	group.Compare("processor time of Grafana and the plugin", report.Took(ours.processor), report.Took(theirs.processor), report.AtMost(0.6))
	for _, percent := range []int{50, 95} {
		group.Compare(fmt.Sprintf("query, p%d", percent), report.Took(timing.Percentile(ours.times, percent)),
			report.Took(timing.Percentile(theirs.times, percent)), report.Goal{})
	}
	return nil
}

func ourContender(latency time.Duration) *contender {
	s := newLiveTestbed(64, latency)
	return &contender{testbed: s, Datasource: grafana.Datasource{
		Name: "bench-gpucloud", UID: "bench-gpucloud", Type: plugin.ID,
		JSONData:       map[string]any{"baseUrl": s.server.URL, "projectId": platform.DefaultProjectID},
		SecureJSONData: map[string]string{"monitoringToken": platform.DefaultMonitoringToken},
	}}
}

func prometheusContender(latency time.Duration) *contender {
	s := newLiveTestbed(64, latency)
	return &contender{testbed: s, Datasource: grafana.Datasource{
		Name: "bench-prometheus", UID: "bench-prometheus", Type: "prometheus", URL: s.server.URL + s.MetricsPath(),
		JSONData:       map[string]any{"httpMethod": "GET", "timeInterval": "60s", "httpHeaderName1": "Authorization"},
		SecureJSONData: map[string]string{"httpHeaderValue1": "Bearer " + platform.DefaultMonitoringToken},
	}}
}

// lookThrough is one refresh of all viewers at once.
func (c *contender) lookThrough(ctx context.Context, client *grafana.Client) error {
	var mu sync.Mutex
	before, err := client.ProcessorTime(ctx, plugin.ID)
	if err != nil {
		return err
	}
	received := client.Received()
	end := time.Now()
	err = everyone(wallViewers, func(_ int, expr string) error {
		took, err := timing.Of(func() error {
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
	if err != nil {
		return err
	}
	c.received += client.Received() - received
	after, err := client.ProcessorTime(ctx, plugin.ID)
	c.processor += after - before
	return err
}
