package rangecache

import (
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient/promjson"
)

const (
	timeName  = "Time"
	valueName = "Value"
)

// result writes a chunk as the decoder would have read it: a frame a series, in order. The frames are the caller's; times may
// be shared among them, and labels are shared with the chunk.
func (c *chunk) result() *promjson.Result {
	result := &promjson.Result{Type: promjson.Matrix}
	if len(c.series) == 0 {
		return result
	}
	result.Frames = make(data.Frames, len(c.series))
	grid := c.times()
	var shared *data.Field
	var first, length int
	for i := range c.series {
		s := &c.series[i]
		var times *data.Field
		switch {
		case s.at != nil:
			times = data.NewField(timeName, nil, s.pick(grid))
		case shared != nil && int(s.first) == first && len(s.values) == length:
			// Most series of an answer have the same times. A copy of the field has its own name and options.
			same := *shared
			times = &same
		default:
			first, length = int(s.first), len(s.values)
			shared = data.NewField(timeName, nil, grid[first:first+length])
			same := *shared
			times = &same
		}
		result.Frames[i] = data.NewFrame("", times, data.NewField(valueName, s.labels, s.values))
	}
	return result
}

// times are those of a chunk's steps.
func (c *chunk) times() []time.Time {
	grid := make([]time.Time, c.steps())
	for i := range grid {
		grid[i] = time.UnixMilli(c.from + int64(i)*c.step).UTC()
	}
	return grid
}

func (s *series) pick(grid []time.Time) []time.Time {
	times := make([]time.Time, len(s.at))
	for i, step := range s.at {
		times[i] = grid[step]
	}
	return times
}

// copyOf gives frames, with their meta, and fields of one's own, so that names and options can be set. Values and labels are shared.
func copyOf(result *promjson.Result) *promjson.Result {
	own := *result
	own.Frames = make(data.Frames, len(result.Frames))
	for i, frame := range result.Frames {
		fields := make(data.Fields, len(frame.Fields))
		for j, field := range frame.Fields {
			same := *field
			fields[j] = &same
		}
		own.Frames[i] = data.NewFrame(frame.Name, fields...)
		if frame.Meta != nil {
			meta := *frame.Meta
			own.Frames[i].Meta = &meta
		}
	}
	return &own
}
