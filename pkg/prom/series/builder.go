package series

import (
	"maps"
	"slices"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/data"
)

// Builder makes a matrix of series as they arrive. The zero value with a grid is ready to use.
type Builder struct {
	Grid Grid
	m    *Matrix
	// counted are the names and values of labels of the series so far.
	counted map[string]struct{}
	// times are those of the last series, and last are their steps: most series have the same.
	times []int64
	last  Series
}

// Matrix is the matrix of the series so far.
func (b *Builder) Matrix() *Matrix {
	if b.m == nil {
		b.m, b.counted = &Matrix{Grid: b.Grid, Sorted: true}, map[string]struct{}{}
	}
	return b.m
}

// Add adds a series, whose slices it copies. It returns false if the series has no place in a matrix: its times are no steps in
// ascending order, because some engines align ranges, or a label contains the separator of keys.
func (b *Builder) Add(labels data.Labels, times []int64, values []float64) bool {
	m := b.Matrix()
	if !slices.Equal(times, b.times) {
		if !b.last.place(times, b.Grid) {
			return false
		}
		b.times = append(b.times[:0], times...)
	}
	s := b.last
	var ok bool
	if s.Key, ok = keyOf(labels); !ok {
		return false
	}
	if len(values) == 0 {
		return true
	}
	s.Labels, s.LabelBytes, s.Values = labels, newLabelBytes(labels, b.counted), slices.Clone(values)
	m.append(s)
	return true
}

// place sets the steps of times.
func (s *Series) place(times []int64, g Grid) bool {
	s.First, s.At = 0, nil
	previous := int32(-1)
	for i, at := range times {
		since := at - g.Start
		step := int32(since / g.Step)
		if since < 0 || since%g.Step != 0 || at > g.End || step <= previous {
			return false
		}
		if i == 0 {
			s.First = step
		} else if s.At == nil && step != previous+1 {
			s.At = make([]int32, i, len(times))
			for j := range i {
				s.At[j] = s.First + int32(j)
			}
		}
		if s.At != nil {
			s.At = append(s.At, step)
		}
		previous = step
	}
	return true
}

// separator ends names and values in the key of a series. It is less than any other byte, so keys compare as lists of labels.
const separator = "\x00"

// Key orders and identifies a series by its labels, as Prometheus orders them. It is unique unless a label contains the separator.
func Key(labels data.Labels) string {
	if key, ok := keyOf(labels); ok {
		return key
	}
	return labels.String()
}

// keyOf returns false if a label contains the separator.
func keyOf(labels data.Labels) (string, bool) {
	var names [16]string
	sorted := slices.AppendSeq(names[:0], maps.Keys(labels))
	slices.Sort(sorted)
	var key strings.Builder
	size := 0
	for name, value := range labels {
		size += len(name) + len(value) + 2*len(separator)
	}
	key.Grow(size)
	for _, name := range sorted {
		for _, text := range [2]string{name, labels[name]} {
			if strings.Contains(text, separator) {
				return "", false
			}
			key.WriteString(text)
			key.WriteString(separator)
		}
	}
	return key.String(), true
}

// newLabelBytes is the size of the names and values of labels that are not counted yet, and marks them as counted. The decoder
// interns strings, so each is in memory once.
func newLabelBytes(labels data.Labels, counted map[string]struct{}) int32 {
	sum := 0
	for name, value := range labels {
		for _, text := range [2]string{name, value} {
			if _, ok := counted[text]; !ok {
				counted[text] = struct{}{}
				sum += len(text)
			}
		}
	}
	return int32(sum)
}

// WithLabels returns a matrix whose series have other labels, and are sorted by them. It shares their values. Of series that become
// equal, the first stays; equal is how many did not.
func (m *Matrix) WithLabels(of func(Series) data.Labels) (changed *Matrix, equal int) {
	changed = &Matrix{Grid: m.Grid, Series: slices.Clone(m.Series), Sorted: true}
	for i := range changed.Series {
		s := &changed.Series[i]
		s.Labels = of(*s)
		s.Key = Key(s.Labels)
	}
	slices.SortStableFunc(changed.Series, func(a, b Series) int { return strings.Compare(a.Key, b.Key) })
	changed.Series = slices.CompactFunc(changed.Series, func(a, b Series) bool { return a.Key == b.Key })
	return changed, len(m.Series) - len(changed.Series)
}
