package rangecache

// mergeMatrices merges matrices each of which starts a step after the end of the one before. The result may share its memory
// with them.
//
// Its series have the order of one response for all steps, because every response is ordered by labels. A series whose labels
// differ in a later matrix is another series, as it is for the platform.
func mergeMatrices(parts []*matrix) *matrix {
	if len(parts) == 1 {
		return parts[0]
	}
	whole := &matrix{start: parts[0].start, end: parts[len(parts)-1].end, step: parts[0].step}
	longest := 0
	for _, part := range parts {
		longest = max(longest, len(part.series))
	}
	whole.series = make([]series, 0, longest)
	next := make([]int, len(parts)) // the first series of each matrix that is not merged yet
	pieces := make([]series, 0, len(parts))
	for {
		first := ""
		found := false
		for i, part := range parts {
			if next[i] < len(part.series) && (!found || part.series[next[i]].key < first) {
				first, found = part.series[next[i]].key, true
			}
		}
		if !found {
			return whole
		}
		pieces = pieces[:0]
		for i, part := range parts {
			if next[i] < len(part.series) && part.series[next[i]].key == first {
				pieces = append(pieces, part.series[next[i]].shifted(int32((part.start-whole.start)/whole.step)))
				next[i]++
			}
		}
		whole.series = append(whole.series, join(pieces))
	}
}

// join copies the pieces of a series into one, without spare capacity.
func join(pieces []series) series {
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
