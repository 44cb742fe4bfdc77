package metrics_test

import (
	"strings"
	"testing"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/metrics"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

func TestFamilies_Described(t *testing.T) {
	store := metrics.New(scenario.New(scenario.Config{Nodes: 1, GPUsPerNode: 1, Now: now}), clock)
	seen := map[string]bool{}
	for _, f := range store.Families() {
		if seen[f.Name] {
			t.Errorf("%s is in the tables twice", f.Name)
		}
		seen[f.Name] = true
		if !strings.HasSuffix(f.Help, ".") || f.Interval <= 0 {
			t.Errorf("%s: help %q, interval %s", f.Name, f.Help, f.Interval)
		}
		switch f.Type {
		case metrics.Gauge, metrics.Counter, metrics.Histogram:
		default:
			t.Errorf("%s is of the type %q", f.Name, f.Type)
		}
	}
	if len(seen) < 90 {
		t.Errorf("%d families", len(seen))
	}
}
