package rangecache

// mergeMatrices merges matrices each of which starts a step after the end of the one before. The result shares only labels
// with them.
//
// Its series have the order of one response for all steps, because every response is ordered by labels. A series whose labels
// differ in a later matrix is another series, as it is for the platform.
func mergeMatrices(parts ...*matrix) *matrix {
	whole := &matrix{start: parts[0].start, end: parts[len(parts)-1].end, step: parts[0].step}
	var merged []splitSeries
	for _, part := range parts {
		merged = addSeries(merged, part, int32((part.start-whole.start)/whole.step))
	}
	whole.series = make([]series, len(merged))
	for i := range merged {
		whole.series[i] = merged[i].join()
	}
	return whole
}

// splitSeries is a series in pieces, one for each matrix that has values of it. Their steps are numbered from the start of
// the merged matrix.
type splitSeries struct {
	pieces [maxParts]series
	n      int
}

// maxParts is the number of matrices of a merge: the steps fetched before the cached ones, the cached ones, and those after.
const maxParts = 3

func (s *splitSeries) key() string { return s.pieces[0].key }

// addSeries adds the series of a matrix to those of the matrices before it. Both lists are ordered by key.
func addSeries(list []splitSeries, part *matrix, offset int32) []splitSeries {
	merged := make([]splitSeries, 0, max(len(list), len(part.series)))
	i := 0
	for _, s := range part.series {
		s = s.shifted(offset)
		for i < len(list) && list[i].key() < s.key {
			merged = append(merged, list[i])
			i++
		}
		if i < len(list) && list[i].key() == s.key {
			same := list[i]
			same.pieces[same.n] = s
			same.n++
			merged = append(merged, same)
			i++
			continue
		}
		merged = append(merged, splitSeries{pieces: [maxParts]series{s}, n: 1})
	}
	return append(merged, list[i:]...)
}

// join copies the pieces into one series, without spare capacity.
func (s *splitSeries) join() series {
	pieces := s.pieces[:s.n]
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
