package rangecache

import (
	"sort"

	"github.com/grafana/grafana-plugin-sdk-go/data"
)

// chunk is what a query gave on some consecutive steps. It never changes once it is made.
type chunk struct {
	// from and to are the first and the last step, step their distance, all in milliseconds. With to before from it has none.
	from, to, step int64
	// series are in ascending order of their keys.
	series []series
}

// series is one time series on a chunk's steps. A step is counted from the chunk's first.
type series struct {
	labels data.Labels
	// key orders series and tells them apart.
	key string
	// text is how many bytes of labels' text it holds alone.
	text int32
	// first is the step of the first value. The others follow step by step, unless at is set: then it has each value's step.
	first  int32
	at     []int32
	values []float64
}

// steps is how many steps a chunk has.
func (c *chunk) steps() int {
	if c.to < c.from {
		return 0
	}
	return int((c.to-c.from)/c.step) + 1
}

// samples is how many values all series have together.
func (c *chunk) samples() int {
	n := 0
	for i := range c.series {
		n += len(c.series[i].values)
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

// between is the part of a series on the steps from first to last, in the same count, sharing its memory.
func (s *series) between(first, last int32) series {
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

// cut is the part of a chunk from one step to another, both of which it has, with the series that have values there.
// The values are shared.
func (c *chunk) cut(from, to int64) *chunk {
	part := &chunk{from: from, to: to, step: c.step}
	if part.steps() == 0 {
		return part
	}
	offset := int32((from - c.from) / c.step)
	last := offset + int32(part.steps()) - 1
	part.series = make([]series, 0, len(c.series))
	for i := range c.series {
		s := c.series[i].between(offset, last)
		if len(s.values) > 0 {
			part.series = append(part.series, s.shifted(-offset))
		}
	}
	return part
}

// shifted counts a series' steps from elsewhere.
func (s series) shifted(by int32) series {
	if by == 0 {
		return s
	}
	s.first += by
	if s.at != nil {
		at := make([]int32, len(s.at))
		for i, step := range s.at {
			at[i] = step + by
		}
		s.at = at
	}
	return s
}
