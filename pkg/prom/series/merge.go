package series

// Merge merges matrices whose series are sorted, and each of which is of a time after that of the one before: the cached steps with
// those of a refresh, the parts of a long range, the archive's steps with the platform's, and the point at the end. The result may
// share its memory with them.
//
// Its series have the order of one response for all steps, because every response is ordered by labels. A series whose labels
// differ in a later matrix is another series, as it is for the platform.
func Merge(parts ...*Matrix) *Matrix {
	if len(parts) == 1 {
		return parts[0]
	}
	whole := &Matrix{Sorted: true}
	longest := 0
	for _, part := range parts {
		longest = max(longest, len(part.Series))
	}
	whole.Series = make([]Series, 0, longest)
	next := make([]int, len(parts)) // the first series of each matrix that is not merged yet
	pieces := make([]Series, 0, len(parts))
	var times joinedTimes
	for {
		pieces = pieces[:0]
		for i, part := range parts {
			if next[i] == len(part.Series) {
				continue
			}
			switch s := &part.Series[next[i]]; {
			case len(pieces) == 0 || s.Key < pieces[0].Key:
				pieces = append(pieces[:0], *s)
			case s.Key == pieces[0].Key:
				pieces = append(pieces, *s)
			}
		}
		if len(pieces) == 0 {
			return whole
		}
		for i, part := range parts {
			if next[i] < len(part.Series) && part.Series[next[i]].Key == pieces[0].Key {
				next[i]++
			}
		}
		whole.Series = append(whole.Series, join(pieces, &times))
	}
}

// join copies the pieces of a series into one, without spare capacity.
func join(pieces []Series, times *joinedTimes) Series {
	whole := pieces[0]
	samples := 0
	for i := range pieces {
		samples += len(pieces[i].Values)
	}
	whole.Times, whole.Values = times.of(pieces, samples), make([]float64, 0, samples)
	for i := range pieces {
		whole.Values = append(whole.Values, pieces[i].Values...)
		if i > 0 {
			whole.Histograms = whole.Histograms.joined(pieces[i].Histograms)
		}
	}
	return whole
}

// joinedTimes are the times of the series that was joined last. Those of the next one are the same if those of its pieces are.
type joinedTimes struct {
	pieces [][]int64
	times  []int64
}

func (j *joinedTimes) of(pieces []Series, samples int) []int64 {
	same := len(pieces) == len(j.pieces)
	for i := 0; same && i < len(pieces); i++ {
		same = shared(pieces[i].Times, j.pieces[i])
	}
	if same {
		return j.times
	}
	j.pieces, j.times = j.pieces[:0], make([]int64, 0, samples)
	for i := range pieces {
		j.pieces = append(j.pieces, pieces[i].Times)
		j.times = append(j.times, pieces[i].Times...)
	}
	return j.times
}
