package series

import (
	"slices"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
)

// frameTypeHeatmapCells is Grafana's type of a frame with a row for each bucket of each native histogram. The SDK has no
// constant for it.
const frameTypeHeatmapCells data.FrameType = "heatmap-cells"

// Histograms are the native histograms of a series, and their buckets, each in columns.
type Histograms struct {
	// Times are in milliseconds since 1970.
	Times      []int64
	Count, Sum []float64
	// Ends are how many buckets there are up to the end of each histogram. One without observations has none.
	Ends []int
	// Layout says which bounds of a bucket are inclusive: 0 the upper one, 1 the lower one, 2 none, 3 both.
	Layout               []int8
	Lower, Upper, Within []float64
}

// Samples is how many samples the histograms count as, by their memory: one for each bucket, and five for each of them.
func (h *Histograms) Samples() int {
	if h == nil {
		return 0
	}
	return len(h.Layout) + 5*len(h.Times)
}

// Buckets are the positions of the first bucket of a histogram and of the one behind its last.
func (h *Histograms) Buckets(i int) (first, end int) {
	if i > 0 {
		first = h.Ends[i-1]
	}
	return first, h.Ends[i]
}

func (h *Histograms) at(time int64) *Histograms {
	if h == nil {
		return nil
	}
	moved := *h
	moved.Times = slices.Repeat([]int64{time}, len(h.Times))
	return &moved
}

// joined are the histograms of two consecutive ranges, either of which may be nil.
func (h *Histograms) joined(later *Histograms) *Histograms {
	if h == nil || later == nil {
		if h == nil {
			return later
		}
		return h
	}
	ends := slices.Clone(h.Ends)
	for _, end := range later.Ends {
		ends = append(ends, len(h.Layout)+end)
	}
	return &Histograms{
		Times: slices.Concat(h.Times, later.Times), Count: slices.Concat(h.Count, later.Count), Sum: slices.Concat(h.Sum, later.Sum), Ends: ends,
		Layout: slices.Concat(h.Layout, later.Layout), Lower: slices.Concat(h.Lower, later.Lower),
		Upper: slices.Concat(h.Upper, later.Upper), Within: slices.Concat(h.Within, later.Within),
	}
}

// frame has a row for each bucket. Grafana's heatmap panel requires the names of the fields. The configs are those of the
// times and of the name to display.
func (h *Histograms) frame(labels data.Labels, config, shown *data.FieldConfig) *data.Frame {
	times := make([]time.Time, 0, len(h.Layout))
	for i, at := range h.Times {
		for first, end := h.Buckets(i); first < end; first++ {
			times = append(times, time.UnixMilli(at).UTC())
		}
	}
	frame := data.NewFrame("",
		data.NewField("xMax", labels, times).SetConfig(config),
		data.NewField("yMin", labels, h.Lower).SetConfig(shown),
		data.NewField("yMax", labels, h.Upper),
		data.NewField("count", labels, h.Within),
		data.NewField("yLayout", labels, h.Layout),
	)
	frame.Meta = &data.FrameMeta{Type: frameTypeHeatmapCells}
	return frame
}
