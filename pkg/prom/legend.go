package prom

import (
	"strconv"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// autoLegend makes Grafana name series by the labels in which they differ.
const autoLegend = "__auto"

const (
	// maxLegend bounds the length of a legend format, in bytes.
	maxLegend = 1000
	// maxName bounds the length of a name that is made of a legend format, which may repeat labels.
	maxName = 1000
)

// legend is a legend format, in which {{label}} is the value of a label, and the expression, which is the name of a series without labels
// where there is no format.
type legend struct{ format, expr string }

// nameOf is the name of a series by the legend, truncated if it is too long. With an empty name, Grafana names the series. Without a format,
// the name is the series in PromQL.
func (l legend) nameOf(labels data.Labels) string {
	switch {
	case l.format != "" && l.format != autoLegend:
	case len(labels) == 0:
		return l.expr
	case l.format == autoLegend:
		return ""
	default:
		return seriesName(labels)
	}
	var name strings.Builder
	for rest := l.format; name.Len() <= maxName; {
		text, after, _ := strings.Cut(rest, "{{")
		label, next, found := strings.Cut(after, "}}")
		if !found {
			if rest == l.format {
				return rest // the same for all series
			}
			name.WriteString(rest)
			break
		}
		value := labels[strings.TrimSpace(label)]
		name.WriteString(text + value[:min(len(value), maxName+1)])
		rest = next
	}
	return transport.Shorten(name.String(), maxName)
}

// seriesName is a series in PromQL, name{label="value", …}, with sorted labels.
func seriesName(labels data.Labels) string {
	return string(appendSeriesName(make([]byte, 0, 256), labels, ", ", strconv.AppendQuote))
}
