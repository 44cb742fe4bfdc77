//go:build engines

package engines

import (
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"
)

// floatsOf are the samples of the frames with a time and a value.
func floatsOf(t *testing.T, all data.Frames) points {
	t.Helper()
	found := points{}
	for _, frame := range all {
		if frame.Meta.Type != data.FrameTypeTimeSeriesMulti || len(frame.Fields) == 0 {
			continue
		}
		require.Len(t, frame.Fields, 2)
		key := seriesKey(frame.Fields[1].Labels)
		for row := range frame.Rows() {
			found.add(key, frame.Fields[0].At(row).(time.Time).UnixMilli(), frame.Fields[1].At(row).(float64))
		}
	}
	return found
}

// bucketsOf are the rows of heatmap-cells frames.
func bucketsOf(t *testing.T, all data.Frames) points {
	t.Helper()
	found := points{}
	for _, frame := range all {
		if frame.Meta.Type != "heatmap-cells" {
			continue
		}
		require.Len(t, frame.Fields, 5)
		for row := range frame.Rows() {
			key := bucketKey(frame.Fields[3].Labels, frame.Fields[1].At(row).(float64), frame.Fields[2].At(row).(float64), frame.Fields[4].At(row).(int8))
			found.add(key, frame.Fields[0].At(row).(time.Time).UnixMilli(), frame.Fields[3].At(row).(float64))
		}
	}
	return found
}
