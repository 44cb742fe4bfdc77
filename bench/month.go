package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/bench/report"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient"
)

const (
	weeks = 4
	// monthPause is the time between refreshes.
	monthPause  = 20 * time.Minute
	monthSeries = 64
)

// month refreshes a dashboard for four weeks by the bench's clock: panels of hours and of a month, single values, and lists of
// variables. Neither what it requests, nor what it keeps, nor what it costs may grow from the second week to the fourth.
func month(_ context.Context, _ options, r *report.Report) error {
	group := r.Group("A dashboard of %d panels of %s, 2 of %s, 4 single values and 2 variables, refreshed every %s for %d weeks",
		len(wallPanels), short(wallSpan), short(longSpan), short(monthPause), weeks)
	s := newTestbed(1, 0)
	s.server.Config.Handler = http.HandlerFunc(s.synthetic)
	defer s.close()
	client, err := s.client(cacheLimit)
	if err != nil {
		return err
	}
	defer client.Close()
	var requests, memory, processor [weeks]int64
	for week := range weeks {
		used, err := ownProcessorTime()
		if err != nil {
			return err
		}
		before := s.steps.Load()
		for range 7 * day / monthPause {
			if err := s.refresh(client); err != nil {
				return err
			}
			s.pass(monthPause)
		}
		after, err := ownProcessorTime()
		if err != nil {
			return err
		}
		requests[week], memory[week], processor[week] = s.steps.Load()-before, heap(), int64(after-used)
		name := fmt.Sprintf("week %d: ", week+1)
		group.Figure(name+"upstream requests", report.Number(requests[week]), report.Goal{})
		group.Figure("  live heap", report.Size(memory[week]), report.Goal{})
		group.Figure("  processor time, with the platform's", report.Took(time.Duration(processor[week])), report.Goal{})
	}
	const second, fourth = 1, 3
	group.Compare("week 4, compared with week 2: upstream requests", report.Number(requests[fourth]), report.Number(requests[second]), report.AtMost(1.01))
	group.Compare("  live heap", report.Size(memory[fourth]), report.Size(memory[second]), report.AtMost(1.05))
	group.Compare("  processor time", report.Took(time.Duration(processor[fourth])), report.Took(time.Duration(processor[second])), report.AtMost(1.2))
	return nil
}

// refresh is one refresh of the dashboard.
func (s *testbed) refresh(client *promclient.Client) error {
	ctx, end := context.Background(), s.clock()
	queries := []struct {
		span, step time.Duration
		exprs      []string
	}{{wallSpan, wallStep, wallPanels}, {longSpan, longStep, wallPanels[:2]}}
	for _, q := range queries {
		for _, expr := range q.exprs {
			if _, err := client.QueryData(ctx, rangeQuery(expr, end.Add(-q.span), end, q.step), false); err != nil {
				return err
			}
		}
	}
	for _, expr := range wallPanels[:4] {
		if _, err := client.QueryData(ctx, savedQuery(map[string]any{"expr": expr, "instant": true}, end.Add(-wallSpan), end), false); err != nil {
			return err
		}
	}
	for _, label := range []string{"instance", "gpu"} {
		given := url.Values{"match[]": {longExpr}, "start": {unixSeconds(end.Add(-wallSpan))}, "end": {unixSeconds(end)}}
		if _, err := client.LabelValues(ctx, label, given); err != nil {
			return err
		}
	}
	return nil
}

func unixSeconds(at time.Time) string { return strconv.FormatInt(at.Unix(), 10) }

// synthetic responds like a platform, without computing anything, and counts requests.
func (s *testbed) synthetic(w http.ResponseWriter, r *http.Request) {
	s.steps.Add(1)
	params := r.URL.Query()
	if !params.Has("query") {
		body := []byte(`{"status":"success","data":[`)
		for n := range monthSeries {
			body = fmt.Appendf(body, `"value-%d",`, n)
		}
		_, _ = w.Write(append(body, `"last"]}`...))
		return
	}
	_, steps := rangeOf(params)
	start, _ := time.Parse(time.RFC3339, params.Get("start"))
	step, _ := time.ParseDuration(params.Get("step"))
	body := []byte(`{"status":"success","data":{"resultType":"vector","result":[`)
	if steps > 0 {
		body = []byte(`{"status":"success","data":{"resultType":"matrix","result":[`)
	}
	for n := range monthSeries {
		body = fmt.Appendf(body, `{"metric":{"__name__":"m","gpu":"%02d","instance":"node-%d:9400"},`, n, n/gpusPerNode)
		if steps == 0 {
			body = fmt.Appendf(body, `"value":[%d,"%d"]},`, s.clock().Unix(), n)
			continue
		}
		body = append(body, `"values":[`...)
		for i := range steps {
			at := start.Add(time.Duration(i) * step).Unix()
			body = append(strconv.AppendInt(append(body, '['), at, 10), `,"`...)
			body = append(strconv.AppendInt(body, (at/60+int64(n))%100, 10), `"],`...)
		}
		body = append(body[:len(body)-1], `]},`...)
	}
	_, _ = w.Write(append(body[:len(body)-1], `]}}`...)) //nolint:gosec // no browser reads this
}
