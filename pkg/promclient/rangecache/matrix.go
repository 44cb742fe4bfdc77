package rangecache

import (
	"sort"

	"github.com/grafana/grafana-plugin-sdk-go/data"
)

// matrix is the result of a query on consecutive steps. It is immutable.
type matrix struct {
	// start and end are the first and the last step, and step is their distance, in milliseconds. If end is before start, it
	// has no steps.
	start, end, step int64
	// series are in ascending order of their keys.
	series []series
}

// series is a time series on the steps of a matrix, which are numbered from 0.
type series struct {
	labels data.Labels
	// key orders series by their labels, and identifies them.
	key string
	// labelBytes is the size of the names and values of labels that no series before has.
	labelBytes int32
	// first is the step of the first value. The others are on the steps that follow, unless at is set: it holds the step of
	// each value.
	first  int32
	at     []int32
	values []float64
}

// steps is the number of steps of a matrix.
func (m *matrix) steps() int {
	if m.end < m.start {
		return 0
	}
	return int((m.end-m.start)/m.step) + 1
}

// samples is the number of values of all series.
func (m *matrix) samples() int {
	n := 0
	for i := range m.series {
		n += len(m.series[i].values)
	}
	return n
}

// last is the step of the last value. A series has at least one.
func (s *series) last() int32 {
	if s.at != nil {
		return s.at[len(s.at)-1]
	}
	return s.first + int32(len(s.values)) - 1
}

// slice returns the values of a series on the steps from first to last. It shares the memory and the numbers of the steps.
func (s *series) slice(first, last int32) series {
	part := *s
	if s.at == nil {
		begin, end := max(0, first-s.first), min(int32(len(s.values)), last-s.first+1)
		if begin >= end {
			part.values = nil
			return part
		}
		part.first, part.values = s.first+begin, s.values[begin:end]
		return part
	}
	begin := sort.Search(len(s.at), func(i int) bool { return s.at[i] >= first })
	end := sort.Search(len(s.at), func(i int) bool { return s.at[i] > last })
	if begin >= end {
		part.values, part.at = nil, nil
		return part
	}
	part.first, part.at, part.values = s.at[begin], s.at[begin:end], s.values[begin:end]
	return part
}

// slice returns a part of a matrix, both of whose ends are steps of it, with the series that have values there. The values
// are shared.
func (m *matrix) slice(start, end int64) *matrix {
	part := &matrix{start: start, end: end, step: m.step}
	if part.steps() == 0 {
		return part
	}
	offset := int32((start - m.start) / m.step)
	last := offset + int32(part.steps()) - 1
	part.series = make([]series, 0, len(m.series))
	for i := range m.series {
		s := m.series[i].slice(offset, last)
		if len(s.values) > 0 {
			part.series = append(part.series, s.shifted(-offset))
		}
	}
	return part
}

// shifted adds an offset to the numbers of the steps.
func (s series) shifted(offset int32) series {
	if offset == 0 {
		return s
	}
	s.first += offset
	if s.at != nil {
		at := make([]int32, len(s.at))
		for i, step := range s.at {
			at[i] = step + offset
		}
		s.at = at
	}
	return s
}
