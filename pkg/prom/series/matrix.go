// Package series holds the results of range queries by columns: times are shared by all series, and labels are interned.
package series

import (
	"sort"

	"github.com/grafana/grafana-plugin-sdk-go/data"
)

// Grid are consecutive steps of a query, in milliseconds since 1970.
type Grid struct {
	// Start and End are the first and the last step, and Step is their distance. The last step may be nearer to the one before: a
	// point at the end of a range is off the grid. If End is before Start, there are no steps.
	Start, End, Step int64
}

// Steps is the number of steps.
func (g Grid) Steps() int {
	if g.End < g.Start {
		return 0
	}
	return int((g.End-g.Start+g.Step-1)/g.Step) + 1
}

// Time is the time of a step, which is numbered from 0.
func (g Grid) Time(step int32) int64 { return min(g.Start+int64(step)*g.Step, g.End) }

// Times are the times of all steps.
func (g Grid) Times() []int64 {
	times := make([]int64, g.Steps())
	for i := range times {
		times[i] = g.Time(int32(i))
	}
	return times
}

// Matrix is the result of a query on a grid of steps. It is immutable, because the cache and all callers share it.
type Matrix struct {
	Grid
	// Series are in the order received.
	Series []Series
	// Sorted reports that the series are in ascending order of their keys, which are unique. Others can't be merged.
	Sorted bool
}

// Series is a time series on the steps of a matrix. It has at least one value.
type Series struct {
	Labels data.Labels
	// Key orders series by their labels, and identifies them.
	Key string
	// LabelBytes is the size of the names and values of labels that no series before has.
	LabelBytes int32
	// First is the step of the first value. The others are on the steps that follow, unless At is set: it holds the step of each
	// value.
	First  int32
	At     []int32
	Values []float64
}

// Samples is the number of values of all series.
func (m *Matrix) Samples() int {
	n := 0
	for i := range m.Series {
		n += len(m.Series[i].Values)
	}
	return n
}

// Step is the step of a value.
func (s *Series) Step(i int) int32 {
	if s.At != nil {
		return s.At[i]
	}
	return s.First + int32(i)
}

func (s *Series) last() int32 { return s.Step(len(s.Values) - 1) }

// append appends a series, and keeps account of the order.
func (m *Matrix) append(s Series) {
	if n := len(m.Series); n > 0 && m.Series[n-1].Key >= s.Key {
		m.Sorted = false
	}
	m.Series = append(m.Series, s)
}

// slice returns the values of a series on the steps from first to last. It shares the memory and the numbers of the steps.
func (s *Series) slice(first, last int32) Series {
	part := *s
	begin := sort.Search(len(s.Values), func(i int) bool { return s.Step(i) >= first })
	end := sort.Search(len(s.Values), func(i int) bool { return s.Step(i) > last })
	if begin >= end {
		part.Values, part.At = nil, nil
		return part
	}
	part.First, part.Values = s.Step(begin), s.Values[begin:end]
	if s.At != nil {
		part.At = s.At[begin:end]
	}
	return part
}

// Slice returns a part of a matrix, both of whose ends are steps of it, with the series that have values there. The values are
// shared.
func (m *Matrix) Slice(start, end int64) *Matrix {
	part := &Matrix{Grid: Grid{start, end, m.Step}, Sorted: m.Sorted}
	if part.Steps() == 0 {
		return part
	}
	offset := int32((start - m.Start) / m.Step)
	last := offset + int32(part.Steps()) - 1
	part.Series = make([]Series, 0, len(m.Series))
	for i := range m.Series {
		if s := m.Series[i].slice(offset, last); len(s.Values) > 0 {
			part.Series = append(part.Series, s.shifted(-offset))
		}
	}
	return part
}

// shifted adds an offset to the numbers of the steps.
func (s Series) shifted(offset int32) Series {
	if offset == 0 {
		return s
	}
	s.First += offset
	if s.At != nil {
		at := make([]int32, len(s.At))
		for i, step := range s.At {
			at[i] = step + offset
		}
		s.At = at
	}
	return s
}
