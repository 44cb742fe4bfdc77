package report_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/bench/report"
)

func sample() *report.Report {
	r := &report.Report{Origin: report.Origin{
		Date: "2025-06-02", Commit: "1a2b3c4", Changed: true, Processor: "A processor", Cores: 2, Load: "0.25", Go: "go1",
	}, Latency: 50}
	r.Note("One thing could not be had.")
	g := r.Group("Wall display of %d panels", 12)
	g.Compare("requests", report.Number(24), report.Number(1440), report.AtMost(1.0/40))
	g.Compare("throughput", report.Rate(200<<20, time.Second), report.Rate(100<<20, time.Second), report.AtLeast(2.5))
	g.Figure("samples requested", report.Figure{Value: 0.011, Unit: report.Share}, report.NoMore(report.Figure{Value: 0.02, Unit: report.Share}))
	r.Group("Other").Figure("time", report.Took(1500*time.Microsecond), report.Goal{})
	return r
}

func TestReport_Text(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, sample().WriteText(&out))
	for _, line := range []string{
		`^2025-06-02, commit 1a2b3c4 with changes, go1\nA processor, 2 cores, load before the run 0\.25\n`,
		`\nThe platform responds after 50\.0 ms\.\nOne thing could not be had\.\n`,
		`Wall display of 12 panels`,
		`requests +24 +1440 +1/60\.0 +≤ 1/40\.0 +✔`,
		`throughput +200 MB/s +100 MB/s +2\.00 × +≥ 2\.50 × +✘`,
		`samples requested +1\.10 % +≤ 2\.00 % +✔`,
		`time +1\.50 ms\n`,
	} {
		require.Regexp(t, line, out.String())
	}
	require.Equal(t, []string{"Wall display of 12 panels: throughput, goal ≥ 2.50 ×"}, sample().Missed())
}

func TestReport_JSON(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, sample().WriteJSON(&out))
	var read report.Report
	require.NoError(t, json.Unmarshal(out.Bytes(), &read))
	require.Equal(t, *sample(), read)
}
