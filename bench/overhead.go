package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// overhead compares a query through the plugin, up to the marshalled frames, with the same HTTP request made directly and
// read to its end. The two take turns, so that a slow moment of the machine hits both.
func overhead(w *tabwriter.Writer, rounds int) error {
	_, _ = fmt.Fprintf(w, "\nThrough the plugin, compared with the same request made directly (medians of %d rounds)\n", rounds)
	row(w, "shape", "direct", "plugin", "ratio")
	for _, s := range shapes {
		direct, through, err := compare(s, rounds)
		if err != nil {
			return err
		}
		row(w, s.name, duration(direct), duration(through), fmt.Sprintf("%.2f ×", float64(through)/float64(direct)))
	}
	return nil
}

func compare(s shape, rounds int) (direct, through time.Duration, err error) {
	address, stop := s.simulate()
	defer stop()
	ds, err := newDatasource(address)
	if err != nil {
		return 0, 0, err
	}
	defer ds.Dispose()
	var directs, throughs []time.Duration
	for range rounds + 1 {
		took, err := timed(func() error { _, err := fetch(directRequest(s, address), false); return err })
		if err != nil {
			return 0, 0, err
		}
		directs = append(directs, took)
		took, err = timed(func() error { return answer(ds, s.query()) })
		if err != nil {
			return 0, 0, err
		}
		throughs = append(throughs, took)
	}
	// The first round warms connections and pools up.
	return median(directs[1:]), median(throughs[1:]), nil
}

// directRequest is what the plugin asks for a shape, without the plugin. The transport asks for gzip by itself.
func directRequest(s shape, address string) *http.Request {
	params := url.Values{
		"query": {s.expr}, "step": {fmt.Sprintf("%ds", int(s.step.Seconds()))},
		"start": {now.Add(-s.span).Format(time.RFC3339)}, "end": {now.Format(time.RFC3339)},
	}
	req, _ := http.NewRequestWithContext(context.Background(), http.MethodGet,
		address+"/v1/projects/"+platform.DefaultProjectID+"/metrics/timeseries/api/v1/query_range?"+params.Encode(), nil)
	req.Header.Set("Authorization", "Bearer "+platform.DefaultMonitoringToken)
	return req
}

func timed(work func() error) (time.Duration, error) {
	start := time.Now()
	err := work()
	return time.Since(start), err
}

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}
