package placement

import (
	"context"
	"fmt"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

const (
	// historyWeeks are whole weeks, so that all hours of the week count alike, within what the platform stores.
	historyWeeks = int(promclient.DefaultRetention / (7 * 24 * time.Hour))
	hoursOfWeek  = 7 * 24
)

var weekdays = []time.Weekday{time.Monday, time.Tuesday, time.Wednesday, time.Thursday, time.Friday, time.Saturday, time.Sunday}

// Idle nodes of each pool: those with no GPU in use. The rollups of nodes have an eighth of the series of GPUs.
const (
	poolsOfRollups = "cluster_id, nodepool_name"
	idleByRollups  = `sum by (` + poolsOfRollups + `) (({__name__=~".+_node:node_gpu_utilization:ratio_avg_1m"} < bool 0.005) * (` + memoryRollup + ` < bool 0.02))`
	idleByGPUs     = `sum by (` + poolsOfRollups + `) (min by (` + nodeLabels + `) (((DCGM_FI_DEV_GPU_UTIL or DCGM_FI_DEV_GPU_UTIL_RATIO) < bool 0.5) * (` + memoryInUse + ` < bool 0.02)))`
)

// hours is how often a pool of own nodes had room, by hour of the week in UTC over the past four weeks: a row for each hour of
// the day, and a column for each day with the share of weeks, from 0 to 1. Hours without samples are null.
//
// Only the metrics have a history. The state at the whole hour counts, and nodes that were drained are idle, too.
func (c *Client) hours(ctx context.Context, q *parsedQuery) (data.Frames, error) {
	if c.Metrics == nil {
		return nil, c.MetricsErr
	}
	q.notices.Info("Of own nodes only: the platform has no history of capacities.")
	pools, err := c.chosenHistory(ctx, q)
	if err != nil {
		return nil, err
	}
	expr := idleByRollups
	for _, p := range pools {
		if !p.hasRollups {
			expr = idleByGPUs
		}
	}
	h := history{wanted: q.wanted, room: map[time.Time]bool{}}
	if len(pools) > 0 {
		end := q.now.UTC().Truncate(time.Hour)
		start := end.Add(-time.Duration(historyWeeks*hoursOfWeek-1) * time.Hour)
		result, err := c.Metrics.Range(ctx, expr, start, end, time.Hour, "")
		if err != nil {
			return nil, err
		}
		for _, text := range result.Warnings {
			q.notices.Warn("%s", text)
		}
		for _, frame := range result.Frames {
			h.add(frame, pools)
		}
	}
	if len(h.room) == 0 {
		q.notices.Warn("There are no metrics of own nodes of the chosen GPU types and locations.")
		return nil, nil
	}
	if weeks := h.weeks(); weeks < historyWeeks {
		q.notices.Info("There are metrics of %s only.", query.Plural(weeks, "week"))
	}
	return data.Frames{h.frame()}, nil
}

// chosenHistory are the pools of chosen types and locations, as they are now.
func (c *Client) chosenHistory(ctx context.Context, q *parsedQuery) ([]*pool, error) {
	locations, err := c.locationsOf(ctx, q)
	if err != nil {
		return nil, err
	}
	all, err := c.idleNodes(ctx, q, &q.notices)
	if err != nil {
		return nil, err
	}
	return (&knowledge{pools: all, locations: locations}).chosenPools(q), nil
}

// locationsOf are the locations of clusters, which count only if locations are chosen.
func (c *Client) locationsOf(ctx context.Context, q *parsedQuery) (map[string]string, error) {
	if q.locations.All() {
		return nil, nil
	}
	if c.Lists == nil {
		return nil, &query.Error{Field: "Locations", Message: "where own nodes are is only known from the main API. " + c.ListsErr.Error()}
	}
	return c.clusterLocations(ctx)
}

// history is whether a pool had room, by time. Times without metrics are missing.
type history struct {
	wanted float64
	room   map[time.Time]bool
}

// add adds a series: the idle nodes of a cluster's pool. They count as its smallest node.
func (h *history) add(frame *data.Frame, pools []*pool) {
	if len(frame.Fields) != 2 || frame.Fields[1].Type() != data.FieldTypeFloat64 {
		return
	}
	labels := frame.Fields[1].Labels
	gpus := 0.0
	for _, p := range pools {
		if p.cluster == labels["cluster_id"] && p.nodePool == labels["nodepool_name"] && (gpus == 0 || p.smallest < gpus) {
			gpus = p.smallest
		}
	}
	if gpus == 0 {
		return
	}
	for i := range frame.Rows() {
		at, nodes := frame.Fields[0].At(i).(time.Time).UTC(), frame.Fields[1].At(i).(float64)
		h.room[at] = h.room[at] || nodes*gpus >= h.wanted
	}
}

// weeks is the number of weeks with metrics, rounded up.
func (h *history) weeks() int { return (len(h.room) + hoursOfWeek - 1) / hoursOfWeek }

func (h *history) frame() *data.Frame {
	var roomy, all [hoursOfWeek]float64
	for at, had := range h.room {
		slot := int(at.Weekday())*24 + at.Hour()
		all[slot]++
		if had {
			roomy[slot]++
		}
	}
	hours := make([]string, 24)
	for hour := range hours {
		hours[hour] = fmt.Sprintf("%02d:00", hour)
	}
	frame := query.Table("Usual availability", data.NewField("hour", nil, hours))
	for _, day := range weekdays {
		shares := make([]*float64, 24)
		for hour := range shares {
			if slot := int(day)*24 + hour; all[slot] > 0 {
				share := roomy[slot] / all[slot]
				shares[hour] = &share
			}
		}
		field := data.NewField(day.String()[:3], nil, shares)
		field.Config = (&data.FieldConfig{Unit: "percentunit"}).SetMin(0).SetMax(1)
		frame.Fields = append(frame.Fields, field)
	}
	return frame
}
