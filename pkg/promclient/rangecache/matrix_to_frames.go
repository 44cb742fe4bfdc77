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

// result returns a matrix as package promjson decodes it: one frame for each series, in order. The caller owns the frames.
// Frames may share times, and they share labels and values with the matrix.
func (m *matrix) result() *promjson.Result {
	result := &promjson.Result{Type: promjson.Matrix}
	if len(m.series) == 0 {
		return result
	}
	result.Frames = make(data.Frames, len(m.series))
	stepTimes := m.times()
	var shared *data.Field
	var first, length int
	for i := range m.series {
		s := &m.series[i]
		var times *data.Field
		switch {
		case s.at != nil:
			times = data.NewField(timeName, nil, s.times(stepTimes))
		case shared != nil && int(s.first) == first && len(s.values) == length:
			// Most series of a result have the same times. A copy of the field has a name and a config of its own.
			same := *shared
			times = &same
		default:
			first, length = int(s.first), len(s.values)
			shared = data.NewField(timeName, nil, stepTimes[first:first+length])
			same := *shared
			times = &same
		}
		result.Frames[i] = data.NewFrame("", times, data.NewField(valueName, s.labels, s.values))
	}
	return result
}

// times are the times of the steps.
func (m *matrix) times() []time.Time {
	times := make([]time.Time, m.steps())
	for i := range times {
		times[i] = time.UnixMilli(m.start + int64(i)*m.step).UTC()
	}
	return times
}

// times are the times of the values of a series with gaps.
func (s *series) times(stepTimes []time.Time) []time.Time {
	times := make([]time.Time, len(s.at))
	for i, step := range s.at {
		times[i] = stepTimes[step]
	}
	return times
}
