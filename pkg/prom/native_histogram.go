package prom

import (
	"slices"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promjson"
)

func isNativeHistogram(frame *data.Frame) bool {
	return frame.Meta != nil && frame.Meta.Type == promjson.FrameTypeHeatmapCells
}

// splitNativeHistograms splits frames into those of samples and those of native histograms. Without native histograms, it
// returns the slice that it is given.
func splitNativeHistograms(series data.Frames) (samples, histograms data.Frames) {
	if !slices.ContainsFunc(series, isNativeHistogram) {
		return series, nil
	}
	for _, frame := range series {
		if isNativeHistogram(frame) {
			histograms = append(histograms, frame)
		} else {
			samples = append(samples, frame)
		}
	}
	return samples, histograms
}
