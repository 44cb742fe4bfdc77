package promclient

import (
	"slices"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient/promjson"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient/rangecache"
)

// join joins the results of a query on two consecutive ranges: the rows of a series of both are one frame. Series are in the order
// of one response, which is that of their labels. common is the number of series that both results have.
func join(older, newer *promjson.Result) (joined *promjson.Result, common int) {
	joined = &promjson.Result{
		Type:     promjson.Matrix,
		Warnings: union(older.Warnings, newer.Warnings),
		Infos:    union(older.Infos, newer.Infos),
		Frames:   slices.Clone(older.Frames),
	}
	at := make(map[string]int, len(older.Frames))
	for i, frame := range older.Frames {
		at[joinKey(frame)] = i
	}
	var times joinedTimes
	for _, frame := range newer.Frames {
		i, ok := at[joinKey(frame)]
		if !ok {
			joined.Frames = append(joined.Frames, frame)
			continue
		}
		common++
		joined.Frames[i] = times.joinFrames(joined.Frames[i], frame)
	}
	slices.SortStableFunc(joined.Frames, func(a, b *data.Frame) int {
		return strings.Compare(rangecache.SeriesKey(a.Fields[1].Labels), rangecache.SeriesKey(b.Fields[1].Labels))
	})
	return joined, common
}

// seriesKey identifies the series of a frame, and distinguishes its samples from its native histograms.
func seriesKey(frame *data.Frame) string { return keyOf(frame, frame.Fields[1].Labels) }

// joinKey is the same for series that differ in the form of the numbers in their labels.
func joinKey(frame *data.Frame) string { return keyOf(frame, canonicalNumbers(frame.Fields[1].Labels)) }

func keyOf(frame *data.Frame, labels data.Labels) string {
	key := rangecache.SeriesKey(labels)
	if isNativeHistogram(frame) {
		key += "\x00histogram"
	}
	return key
}

// joinedTimes are the times of the last joined frames. Most series of a result share their times, and do so when they are joined.
type joinedTimes struct{ older, newer, joined *data.Field }

func (t *joinedTimes) joinFrames(older, newer *data.Frame) *data.Frame {
	joined := data.NewFrame(older.Name)
	joined.Meta = older.Meta
	for i := range older.Fields {
		if i == 0 {
			if !sameMemory(t.older, older.Fields[0]) || !sameMemory(t.newer, newer.Fields[0]) {
				t.older, t.newer, t.joined = older.Fields[0], newer.Fields[0], joinFields(older.Fields[0], newer.Fields[0])
			}
			own := *t.joined
			joined.Fields = append(joined.Fields, &own)
			continue
		}
		joined.Fields = append(joined.Fields, joinFields(older.Fields[i], newer.Fields[i]))
	}
	return joined
}

// sameMemory reports whether two fields of times share their values.
func sameMemory(a, b *data.Field) bool {
	return a != nil && a.Len() == b.Len() && a.Len() > 0 && a.PointerAt(0) == b.PointerAt(0)
}

func joinFields(older, newer *data.Field) *data.Field {
	joined := data.NewFieldFromFieldType(older.Type(), older.Len()+newer.Len())
	joined.Name, joined.Labels, joined.Config = older.Name, newer.Labels, older.Config
	switch older.Type() {
	case data.FieldTypeTime:
		copyRows[time.Time](joined, older, 0)
		copyRows[time.Time](joined, newer, older.Len())
	case data.FieldTypeFloat64:
		copyRows[float64](joined, older, 0)
		copyRows[float64](joined, newer, older.Len())
	default:
		for i := range older.Len() {
			joined.Set(i, older.At(i))
		}
		for i := range newer.Len() {
			joined.Set(older.Len()+i, newer.At(i))
		}
	}
	return joined
}

// copyRows copies values by pointers, because Field.At allocates an interface for each.
func copyRows[T any](to, from *data.Field, offset int) {
	for i := range from.Len() {
		*to.PointerAt(offset + i).(*T) = *from.PointerAt(i).(*T)
	}
}
