package prom

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/data"
)

// autoLegend makes Grafana name series by the labels in which they differ.
const autoLegend = "__auto"

var legendLabel = regexp.MustCompile(`\{\{\s*(.+?)\s*\}\}`)

const (
	// maxLegend bounds the length of a legend format, in bytes.
	maxLegend = 1000
	// maxName bounds the length of a name that is made of a legend format, which may repeat labels.
	maxName = 1000
)

// legend is a parsed legend format: texts, each followed by the value of a label.
type legend struct {
	parts []legendPart
	// auto leaves the names of series with labels to Grafana, and expr is that of a series without labels. Without a format, the name
	// is the series in PromQL.
	auto bool
	expr string
}

type legendPart struct{ text, label string }

// parseLegend parses a legend format, in which {{label}} is the value of a label.
func parseLegend(format, expr string) legend {
	if format == "" || format == autoLegend {
		return legend{auto: format == autoLegend, expr: expr}
	}
	var parts []legendPart
	rest := 0
	for _, match := range legendLabel.FindAllStringSubmatchIndex(format, -1) {
		parts = append(parts, legendPart{format[rest:match[0]], format[match[2]:match[3]]})
		rest = match[1]
	}
	return legend{parts: append(parts, legendPart{text: format[rest:]})}
}

// nameOf is the name of a series by the legend, truncated if it is too long. With an empty name, Grafana names the series.
func (l legend) nameOf(labels data.Labels) string {
	switch {
	case len(l.parts) == 1:
		return l.parts[0].text // the same text for all series
	case len(l.parts) > 1:
	case len(labels) == 0:
		return l.expr
	case l.auto:
		return ""
	default:
		return seriesName(labels)
	}
	var name strings.Builder
	for _, part := range l.parts {
		name.WriteString(part.text)
		value := labels[part.label]
		if name.Len()+len(value) > maxName {
			return strings.ToValidUTF8((name.String() + value[:min(len(value), maxName)])[:maxName], "") + "…"
		}
		name.WriteString(value)
	}
	return name.String()
}

// seriesName is a series in PromQL, name{label="value", …}, with sorted labels.
func seriesName(labels data.Labels) string {
	return string(appendSeriesName(make([]byte, 0, 256), labels, ", ", strconv.AppendQuote))
}
