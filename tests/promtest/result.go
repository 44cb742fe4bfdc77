package promtest

import (
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
)

// Matrix is the matrix of frames with a field of times and one of float64 each.
func Matrix(frames data.Frames) *series.Matrix {
	b := series.New()
	for _, frame := range frames {
		times, values := make([]int64, frame.Rows()), make([]float64, frame.Rows())
		for i := range times {
			times[i], values[i] = frame.Fields[0].At(i).(time.Time).UnixMilli(), frame.Fields[1].At(i).(float64)
		}
		b.Add(frame.Fields[1].Labels, times, values, nil)
	}
	return b
}

// Result is a result with the series of such frames.
func Result(frames data.Frames) *promql.Result {
	return &promql.Result{Matrix: Matrix(frames)}
}
