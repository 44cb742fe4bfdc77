package series

import (
	"unsafe"

	"github.com/grafana/grafana-plugin-sdk-go/data"
)

// Bytes estimates the memory of a matrix. It adds an eighth, because Go allocates more than the sizes of strings and slices.
func (m *Matrix) Bytes() int {
	sum := int(unsafe.Sizeof(*m)) + cap(m.Series)*int(unsafe.Sizeof(Series{}))
	for i := range m.Series {
		s := &m.Series[i]
		sum += len(s.Key) + int(s.LabelBytes) + LabelsBytes(s.Labels) + 8*cap(s.Values)
		if i == 0 || !shared(s.Times, m.Series[i-1].Times) {
			sum += 8 * cap(s.Times)
		}
		if h := s.Histograms; h != nil {
			sum += int(unsafe.Sizeof(*h)) + 32*len(h.Times) + 25*len(h.Layout)
		}
	}
	return sum + sum/8
}

// LabelsBytes is at least the memory of a map of labels without its strings, and at most 1.13 times that: with Go 1.26, 336
// bytes were measured with 1 to 8 labels, 664 with 9 to 14, 1240 with 15 to 28, 2392 with 29 to 56, and so on.
func LabelsBytes(labels data.Labels) int {
	if labels == nil {
		return 0
	}
	bytes := 336
	if len(labels) > 8 {
		for most := 7; most < len(labels); most *= 2 {
			bytes *= 2
		}
	}
	return bytes
}
