package rangecache

import (
	"unsafe"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient/promjson"
)

// bytes estimates the memory of a matrix. It adds an eighth, because Go allocates more than the sizes of strings and slices.
func (m *matrix) bytes() int {
	sum := int(unsafe.Sizeof(*m)) + cap(m.series)*int(unsafe.Sizeof(series{}))
	for i := range m.series {
		s := &m.series[i]
		sum += len(s.key) + int(s.labelBytes) + mapBytes(s.labels) + 4*cap(s.at) + 8*cap(s.values)
	}
	return sum + sum/8
}

// mapBytes is at least the memory of a map of labels without its strings, and at most 1.13 times that: with Go 1.26, 336
// bytes were measured with 1 to 8 labels, 664 with 9 to 14, 1240 with 15 to 28, 2392 with 29 to 56, and so on.
func mapBytes(labels data.Labels) int {
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

// newLabelBytes is the size of the names and values of labels that are not counted yet, and marks them as counted. The
// decoder interns strings, so each is in memory once.
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

// resultBytes estimates the memory of a decoded response.
func resultBytes(r *promjson.Result) int {
	const perFrame = int(unsafe.Sizeof(data.Frame{})) + 2*int(unsafe.Sizeof(data.Field{})) + 128
	counted := map[string]struct{}{}
	sum := 0
	for _, frame := range r.Frames {
		sum += perFrame
		for _, field := range frame.Fields {
			sum += field.Len()*24 + mapBytes(field.Labels) + int(newLabelBytes(field.Labels, counted))
		}
	}
	return sum
}
