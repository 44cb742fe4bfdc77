package rangecache

import (
	"unsafe"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/metrics/promjson"
)

// What Go's runtime takes beside what is in them: a map's header, and its groups of eight pairs of texts, seven of them used.
const (
	mapBytes   = 48
	groupBytes = 8 + 8*2*16
	groupUsed  = 7
)

// bytes is the memory that a chunk takes.
func (c *chunk) bytes() int {
	sum := int(unsafe.Sizeof(*c)) + cap(c.series)*int(unsafe.Sizeof(series{}))
	for i := range c.series {
		s := &c.series[i]
		sum += len(s.key) + int(s.text) + labelBytes(s.labels) + 4*cap(s.at) + 8*cap(s.values)
	}
	return sum
}

func labelBytes(labels data.Labels) int {
	groups := 1
	for len(labels) > 8 && groups*groupUsed < len(labels) {
		groups *= 2
	}
	return mapBytes + groups*groupBytes
}

// textOf counts the bytes of labels' names and values that are not among known, and adds them: the decoder keeps a text once
// however many series have it.
func textOf(labels data.Labels, known map[string]struct{}) int32 {
	sum := 0
	for name, value := range labels {
		for _, text := range [2]string{name, value} {
			if _, ok := known[text]; !ok {
				known[text] = struct{}{}
				sum += len(text)
			}
		}
	}
	return int32(sum)
}

// resultBytes is about the memory that a decoded answer takes.
func resultBytes(r *promjson.Result) int {
	const perFrame = int(unsafe.Sizeof(data.Frame{})) + 2*int(unsafe.Sizeof(data.Field{})) + 128
	known := map[string]struct{}{}
	sum := 0
	for _, frame := range r.Frames {
		sum += perFrame
		for _, field := range frame.Fields {
			sum += field.Len()*24 + labelBytes(field.Labels) + int(textOf(field.Labels, known))
		}
	}
	return sum
}
