package rangecache

import (
	"unsafe"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient/promjson"
)

// What labels take without their texts, as measured: a small set, and each label beyond.
const (
	smallSet      = 8
	smallSetBytes = 312
	oneMoreBytes  = 50
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
	return smallSetBytes + oneMoreBytes*max(0, len(labels)-smallSet)
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
