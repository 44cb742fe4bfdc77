package rangecache

import (
	"unsafe"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient/promjson"
)

// The memory of a map of labels without its strings, as measured: of a small map, and of each label that does not fit it.
const (
	smallMap      = 8
	smallMapBytes = 312
	moreBytes     = 50
)

// bytes is the memory of a matrix.
func (m *matrix) bytes() int {
	sum := int(unsafe.Sizeof(*m)) + cap(m.series)*int(unsafe.Sizeof(series{}))
	for i := range m.series {
		s := &m.series[i]
		sum += len(s.key) + int(s.labelBytes) + mapBytes(s.labels) + 4*cap(s.at) + 8*cap(s.values)
	}
	return sum
}

func mapBytes(labels data.Labels) int {
	return smallMapBytes + moreBytes*max(0, len(labels)-smallMap)
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
