package prom

import (
	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/packed"
)

// pack makes packed frames of time series. Native histograms remain frames of their own, and the order remains.
func pack(series data.Frames) data.Frames {
	var frames, samples data.Frames
	flush := func() {
		if len(samples) > 0 {
			frames = append(frames, packed.Frame(samples))
		}
		samples = nil
	}
	for _, frame := range series {
		if isNativeHistogram(frame) {
			flush()
			frames = append(frames, frame)
		} else {
			samples = append(samples, frame)
		}
	}
	flush()
	return frames
}
