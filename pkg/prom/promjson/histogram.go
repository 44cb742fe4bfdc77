package promjson

import (
	"strconv"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
)

// FrameTypeHeatmapCells is Grafana's type of a frame with a row for each bucket of each native histogram. The SDK has no
// constant for it.
const FrameTypeHeatmapCells data.FrameType = "heatmap-cells"

// cells are the buckets of the native histograms of a series, one for each row. Grafana's heatmap panel requires the names of
// the fields.
type cells struct {
	xMax              []time.Time
	yMin, yMax, count []float64
	yLayout           []int8
	// histograms is the number of histograms; one without observations has no bucket.
	histograms int
}

func (c *cells) reset() {
	c.xMax, c.yMin, c.yMax, c.count, c.yLayout = c.xMax[:0], c.yMin[:0], c.yMax[:0], c.count[:0], c.yLayout[:0]
	c.histograms = 0
}

// frame copies the rows into a frame.
func (c *cells) frame(labels data.Labels) *data.Frame {
	frame := data.NewFrame("",
		data.NewField("xMax", labels, c.xMax),
		data.NewField("yMin", labels, c.yMin),
		data.NewField("yMax", labels, c.yMax),
		data.NewField("count", labels, c.count),
		data.NewField("yLayout", labels, c.yLayout),
	)
	frame.Meta = &data.FrameMeta{Type: FrameTypeHeatmapCells}
	return frame
}

// histogramSeries appends the frames of a series with native histograms: one of its buckets, and one of its samples. A series
// has both if its metric became a native histogram within the range.
func (d *decoder) histogramSeries(result *Result, labels data.Labels, found, histogram structure) (structure, error) {
	if found != noStructure && found != histogram {
		return noStructure, ErrMalformed
	}
	d.tally.addHistograms(len(d.times), len(d.cells.xMax), d.cells.histograms)
	if !d.tally.withinLimits() {
		d.drop(result)
		return histogram, nil
	}
	d.asFrames(result)
	result.Frames = append(result.Frames, d.cells.frame(labels))
	if len(d.times) > 0 {
		result.Frames = append(result.Frames, series.NewFrame(d.timeField(), d.values, labels))
	}
	return histogram, nil
}

// histogramsOnce decodes the native histograms of a series. It returns an error if the series has histograms already.
func (d *decoder) histogramsOnce(found *structure, as structure) error {
	if *found != noStructure {
		return ErrMalformed
	}
	*found = as
	d.cells.reset()
	if as == points {
		return d.histogram()
	}
	return d.scanner.list(d.histogram)
}

// histogram decodes [1435781430.781,{"count":"9","sum":"1.5","buckets":[…]}]. The frame of a heatmap has neither count nor sum.
func (d *decoder) histogram() error {
	s := &d.scanner
	if err := s.expect('['); err != nil {
		return err
	}
	at, err := s.timestamp()
	if err != nil {
		return err
	}
	if err := s.expect(','); err != nil {
		return err
	}
	d.cells.histograms++
	hasBuckets := false
	err = s.object(func(key []byte) error {
		if string(key) != "buckets" {
			return s.skip()
		}
		if hasBuckets {
			return ErrMalformed
		}
		hasBuckets = true
		return s.list(func() error { return d.bucket(at) })
	})
	if err != nil {
		return err
	}
	return s.expect(']')
}

// bucket decodes [0,"0.5","1","7"]: which of the bounds are inclusive, the bounds, and the number of observations.
func (d *decoder) bucket(at int64) error {
	s := &d.scanner
	if err := s.expect('['); err != nil {
		return err
	}
	number, err := s.number()
	if err != nil {
		return err
	}
	layout, err := strconv.ParseInt(string(number), 10, 8)
	if err != nil {
		return ErrMalformed
	}
	var values [3]float64
	for i := range values {
		if err := s.expect(','); err != nil {
			return err
		}
		text, err := s.string()
		if err != nil {
			return err
		}
		if values[i], err = parseFloat(text); err != nil {
			return err
		}
	}
	if err := s.expect(']'); err != nil {
		return err
	}
	c := &d.cells
	if len(c.xMax) >= d.tally.cells {
		d.tally.skippedCells++
		return nil
	}
	c.xMax = append(c.xMax, time.UnixMilli(at).UTC())
	c.yMin, c.yMax, c.count = append(c.yMin, values[0]), append(c.yMax, values[1]), append(c.count, values[2])
	c.yLayout = append(c.yLayout, int8(layout))
	return nil
}
