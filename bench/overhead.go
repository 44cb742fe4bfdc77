package main

import (
	"context"

	"github.com/gpucloud/gpucloud-platform-datasource/bench/report"
	"github.com/gpucloud/gpucloud-platform-datasource/bench/timing"
)

// overhead compares a query through the whole plugin, up to the marshalled frames and without its cache, with the same HTTP
// request made directly and read to its end.
func overhead(_ context.Context, o options, r *report.Report) error {
	group := r.Group("A query through the plugin, uncached, compared with the same request made directly; no latency")
	for _, s := range shapes {
		address, stop := s.simulate()
		ds, err := newDatasource(address, false, nil)
		if err != nil {
			return err
		}
		ours, theirs, err := timing.Compare(o.rounds,
			func() error { return runQuery(ds, s.query()) },
			func() error { _, err := fetch(s.request(address), false); return err })
		ds.Dispose()
		stop()
		if err != nil {
			return err
		}
		group.Compare(s.name, report.Took(ours.Time), report.Took(theirs.Time), report.AtMost(1.3))
	}
	return nil
}
