package health_test

import (
	"testing"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/runs/health"
)

// BenchmarkExamine examines curves of a usual length, and of the longest.
func BenchmarkExamine(b *testing.B) {
	long := points(decay(1, 10_000))
	short := points(decay(1, 200))
	for name, curve := range map[string][]health.Point{"200 points": short, "10000 points": long} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				health.Examine(health.Curve{Metric: "loss", Direction: health.Lower, Points: curve})
			}
		})
	}
}
