package rangecache

// join puts chunks together of which each begins a step after the one before ends. The result shares nothing but labels.
//
// Its series are in the order that one answer over all steps would have, because every answer is ordered by labels. A series
// that has other labels in a later chunk is another series, as it is for the platform.
func join(parts ...*chunk) *chunk {
	whole := &chunk{from: parts[0].from, to: parts[len(parts)-1].to, step: parts[0].step}
	var rows []row
	for _, part := range parts {
		rows = addTo(rows, part, int32((part.from-whole.from)/whole.step))
	}
	whole.series = make([]series, len(rows))
	for i := range rows {
		whole.series[i] = rows[i].solid()
	}
	return whole
}

// row is one series in pieces, a piece a chunk, counted from the whole's first step.
type row struct {
	pieces [maxParts]series
	n      int
}

// maxParts is how many chunks are joined at most: what was missing before, what was kept, what is new.
const maxParts = 3

func newRow(s series) row {
	return row{pieces: [maxParts]series{s}, n: 1}
}

func (r *row) key() string { return r.pieces[0].key }

// addTo merges a chunk's series into rows; both are ordered by key.
func addTo(rows []row, part *chunk, offset int32) []row {
	merged := make([]row, 0, max(len(rows), len(part.series)))
	i := 0
	for _, s := range part.series {
		s = s.shifted(offset)
		for i < len(rows) && rows[i].key() < s.key {
			merged = append(merged, rows[i])
			i++
		}
		if i < len(rows) && rows[i].key() == s.key {
			known := rows[i]
			known.pieces[known.n] = s
			known.n++
			merged = append(merged, known)
			i++
			continue
		}
		merged = append(merged, newRow(s))
	}
	return append(merged, rows[i:]...)
}

// solid copies the pieces into one series, in memory that is just large enough.
func (r *row) solid() series {
	pieces := r.pieces[:r.n]
	whole := pieces[0]
	samples, gapless := 0, true
	for i := range pieces {
		samples += len(pieces[i].values)
		gapless = gapless && pieces[i].at == nil && (i == 0 || pieces[i].first == pieces[i-1].last()+1)
	}
	whole.values, whole.at = make([]float64, 0, samples), nil
	if !gapless {
		whole.at = make([]int32, 0, samples)
	}
	for i := range pieces {
		whole.values = append(whole.values, pieces[i].values...)
		if !gapless {
			whole.at = pieces[i].appendSteps(whole.at)
		}
	}
	return whole
}

// appendSteps appends the step of each value.
func (s *series) appendSteps(to []int32) []int32 {
	if s.at != nil {
		return append(to, s.at...)
	}
	for i := range s.values {
		to = append(to, s.first+int32(i))
	}
	return to
}
