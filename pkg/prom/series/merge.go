package series

// Merge merges matrices whose series are sorted, and each of which starts after the end of the one before: the cached steps with
// those of a refresh, the parts of a long range, the archive's steps with the platform's, and the point at the end. The last of them
// may start less than a step after. The result may share its memory with them.
//
// Its series have the order of one response for all steps, because every response is ordered by labels. A series whose labels
// differ in a later matrix is another series, as it is for the platform.
func Merge(parts ...*Matrix) *Matrix {
	if len(parts) == 1 {
		return parts[0]
	}
	whole := &Matrix{Grid: Grid{parts[0].Start, parts[len(parts)-1].End, parts[0].Step}, Sorted: true}
	longest := 0
	offsets := make([]int32, len(parts))
	for i, part := range parts {
		longest = max(longest, len(part.Series))
		if i > 0 {
			offsets[i] = offsets[i-1] + int32((part.Start-parts[i-1].Start+whole.Step-1)/whole.Step)
		}
	}
	whole.Series = make([]Series, 0, longest)
	next := make([]int, len(parts)) // the first series of each matrix that is not merged yet
	pieces := make([]Series, 0, len(parts))
	for {
		first := ""
		found := false
		for i, part := range parts {
			if next[i] < len(part.Series) && (!found || part.Series[next[i]].Key < first) {
				first, found = part.Series[next[i]].Key, true
			}
		}
		if !found {
			return whole
		}
		pieces = pieces[:0]
		for i, part := range parts {
			if next[i] < len(part.Series) && part.Series[next[i]].Key == first {
				pieces = append(pieces, part.Series[next[i]].shifted(offsets[i]))
				next[i]++
			}
		}
		whole.Series = append(whole.Series, join(pieces))
	}
}

// join copies the pieces of a series into one, without spare capacity.
func join(pieces []Series) Series {
	whole := pieces[0]
	samples, gapless := 0, true
	for i := range pieces {
		samples += len(pieces[i].Values)
		gapless = gapless && pieces[i].At == nil && (i == 0 || pieces[i].First == pieces[i-1].last()+1)
	}
	whole.Values, whole.At = make([]float64, 0, samples), nil
	if !gapless {
		whole.At = make([]int32, 0, samples)
	}
	for i := range pieces {
		whole.Values = append(whole.Values, pieces[i].Values...)
		if !gapless {
			for j := range pieces[i].Values {
				whole.At = append(whole.At, pieces[i].Step(j))
			}
		}
	}
	return whole
}
