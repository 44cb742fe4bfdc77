package health_test

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/runs/health"
)

// publicRun is a real run of testdata: its reports, and what is known of its end.
type publicRun struct {
	source, name string
	// judged runs were not looked at while thresholds were chosen.
	judged bool
	total  float64
	end    time.Duration // after the begin of the run, what follows the last step included
	points []health.Point
}

// publicRuns reads all files of testdata. Times are from the begin of the run, in milliseconds.
func publicRuns(t testing.TB) []publicRun {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	var runs []publicRun
	for _, name := range files {
		file, err := os.Open(name)
		require.NoError(t, err)
		for lines := bufio.NewScanner(file); lines.Scan(); {
			var r publicRun
			var end, at int64
			var p health.Point
			if n, _ := fmt.Sscanf(lines.Text(), "run %s total=%g end=%d", &r.name, &r.total, &end); n == 3 {
				r.source, r.end = strings.TrimSuffix(filepath.Base(name), ".txt"), time.Duration(end)*time.Millisecond
				r.judged = isJudged(r.source, r.name)
				runs = append(runs, r)
			} else if n, _ := fmt.Sscanf(lines.Text(), "%g %d %g", &p.Step, &at, &p.Value); n == 3 {
				p.At = begin.Add(time.Duration(at) * time.Millisecond)
				last := &runs[len(runs)-1]
				last.points = append(last.points, p)
			}
		}
		require.NoError(t, file.Close())
	}
	require.Greater(t, len(runs), 100)
	return runs
}

// isJudged divides the runs by who made them and when, so that none that is judged has a sibling that was tuned on.
func isJudged(source, name string) bool {
	switch source {
	case "modded-nanogpt":
		return !strings.Contains(name, "/2024-10-")
	case "mlperf-training-5.1":
		by, _, _ := strings.Cut(name, "/")
		return by != "NVIDIA" && by != "Dell" && by != "GigaComputing"
	}
	return true
}

// inSeconds are points with times as most gateways send them.
func inSeconds(points []health.Point) []health.Point {
	whole := make([]health.Point, len(points))
	for i, p := range points {
		p.At = p.At.Truncate(time.Second)
		whole[i] = p
	}
	return whole
}
