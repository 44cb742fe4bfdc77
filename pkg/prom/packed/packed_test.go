package packed_test

import (
	"encoding/base64"
	"math"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/packed"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/promtest"
)

// frameOf packs frames with a field of times and one of values each.
func frameOf(frames data.Frames) *data.Frame {
	m := promtest.Matrix(frames)
	names := func(s *series.Series) (name string, display *string) {
		of := frames[slices.IndexFunc(frames, func(f *data.Frame) bool { return s == &m.Series[slices.Index(frames, f)] })].Fields[1]
		if of.Config == nil {
			return of.Name, nil
		}
		return of.Name, &of.Config.DisplayNameFromDS
	}
	return packed.Frame(m, names, frames[0].Fields[0].Config)
}

// Every time, and every bit of every value.
func TestFrame_RoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		series := rapid.SliceOfN(rapid.Custom(drawSeries), 1, 6).Draw(rt, "series")
		if len(series) > 1 && rapid.Bool().Draw(rt, "first two share times") {
			share := *series[0].Fields[0]
			series[1].Fields[0] = &share
			series[1].Fields[1] = data.NewField("Value", data.Labels{}, drawValues(rt, share.Len()))
		}
		got := promtest.Unpack(rt, frameOf(series))
		require.Len(rt, got, len(series))
		for i, want := range series {
			requireSameSeries(rt, want, got[i])
		}
	})
}

// The series of a long range are of any length: many pods live for a step only.
func TestFrame_MemoryOfShortSeries(t *testing.T) {
	times, values := make([]int64, 11_000), make([]float64, 11_000)
	for i := range times {
		times[i], values[i] = int64(i)*60_000, math.Sqrt(float64(i))
	}
	m := series.New()
	m.Add(data.Labels{"pod": "the first"}, times, values, nil)
	for i := range 20_000 {
		m.Add(data.Labels{"pod": strconv.Itoa(i)}, times[:1], values[:1], nil)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	packed.Frame(m, func(*series.Series) (string, *string) { return "Value", nil }, nil)
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(20<<20))
}

func drawSeries(t *rapid.T) *data.Frame {
	at := int64(1_700_000_000_000)
	times := []time.Time{}
	for _, distance := range rapid.SliceOfN(rapid.SampledFrom([]int64{60_000, 60_000, 60_000, 1, -120_000, 1e15, -2e15}), 0, 30).Draw(t, "distances") {
		at += distance
		times = append(times, time.UnixMilli(at).UTC())
	}
	labels := rapid.MapOfN(rapid.SampledFrom([]string{"gpu", "node", "ü\"\\"}), rapid.String(), 0, 3).Draw(t, "labels")
	values := data.NewField(rapid.SampledFrom([]string{"Value", "up", ""}).Draw(t, "name"), labels, drawValues(t, len(times)))
	if name := rapid.String().Draw(t, "display name"); name != "" {
		values.Config = &data.FieldConfig{DisplayNameFromDS: name}
	}
	return data.NewFrame("", data.NewField("Time", nil, times), values)
}

func drawValues(t *rapid.T, length int) []float64 {
	kinds := []*rapid.Generator[float64]{
		rapid.Custom(func(t *rapid.T) float64 {
			places := rapid.IntRange(0, 15).Draw(t, "places")
			return float64(rapid.Int64Range(-1e15, 1e15).Draw(t, "integer")) / math.Pow10(places)
		}),
		rapid.Custom(func(t *rapid.T) float64 { return float64(rapid.IntRange(-100, 100).Draw(t, "hundredths")) / 100 }),
		rapid.Custom(func(t *rapid.T) float64 { return math.Float64frombits(rapid.Uint64().Draw(t, "bits")) }),
		rapid.SampledFrom([]float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), 5e-324, math.MaxFloat64, 1e15, 1e15 - 1, 1 << 53, 1.0 / 3}),
	}
	kind := rapid.SampledFrom(append(kinds, rapid.OneOf(kinds...))).Draw(t, "kind")
	return rapid.SliceOfN(kind, length, length).Draw(t, "values")
}

func requireSameSeries(t require.TestingT, want, got *data.Frame) {
	require.Equal(t, want.Rows(), got.Rows())
	for row := range want.Rows() {
		require.Equal(t, want.Fields[0].At(row), got.Fields[0].At(row))
		require.Equal(t, bitsOf(want, row), bitsOf(got, row), "%v", want.Fields[1].At(row))
	}
	require.Equal(t, want.Fields[1].Name, got.Fields[1].Name)
	require.Equal(t, want.Fields[1].Labels, got.Fields[1].Labels)
	require.Equal(t, want.Fields[1].Config, got.Fields[1].Config)
}

func bitsOf(frame *data.Frame, row int) uint64 {
	return math.Float64bits(frame.Fields[1].At(row).(float64))
}

// The bytes that the documentation of the format describes.
func TestFrame_Bytes(t *testing.T) {
	minute := int64(60_000)
	for _, c := range []struct {
		name   string
		times  []int64
		values []float64
		want   []byte
	}{
		{"integers", []int64{0, minute, 2 * minute}, []float64{3, 3, 2}, []byte{2, 0, 1, 0xc0, 0xa9, 7, 2, 0, 6, 0, 1}},
		{"decimals", []int64{1}, []float64{-0.25}, []byte{1, 2, 1, 2, 49}},
		{"bits", []int64{1, 2}, []float64{math.Copysign(0, -1), math.Inf(-1)}, []byte{1, 2, 2, 255, 0x71, 0x80, 0x62, 0xf0, 0x7f}},
		{"nothing", nil, nil, []byte{1, 0, 0, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			times := make([]time.Time, len(c.times))
			for i, at := range c.times {
				times[i] = time.UnixMilli(at)
			}
			frame := frameOf(data.Frames{data.NewFrame("", data.NewField("Time", nil, times), data.NewField("Value", nil, c.values))})
			got, err := base64.StdEncoding.DecodeString(frame.Fields[1].At(0).(string))
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}

// Series after the first have a byte for their times where those are the same, whether they share memory or not.
func TestFrame_SameTimes(t *testing.T) {
	series := func(share bool) data.Frames {
		var times *data.Field
		frames := make(data.Frames, 100)
		for i := range frames {
			if times == nil || !share {
				times = data.NewField("Time", nil, []time.Time{time.UnixMilli(1), time.UnixMilli(5), time.UnixMilli(7)})
			}
			frames[i] = data.NewFrame("", times, data.NewField("Value", data.Labels{"gpu": strconv.Itoa(i)}, []float64{1, 2, 3}))
		}
		return frames
	}
	require.Equal(t, frameOf(series(true)).Fields[1].At(0), frameOf(series(false)).Fields[1].At(0))
	require.Len(t, frameOf(series(true)).Fields[1].At(0), base64.StdEncoding.EncodedLen(99*(1+1+3)+7+1+3))
}
