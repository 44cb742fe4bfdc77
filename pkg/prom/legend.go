package prom

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/data"
)

const (
	metricName = "__name__"
	// autoLegend makes Grafana name series by the labels in which they differ.
	autoLegend = "__auto"
)

var legendLabel = regexp.MustCompile(`\{\{\s*(.+?)\s*\}\}`)

const (
	// maxLegend bounds the length of a legend format, in bytes.
	maxLegend = 1000
	// maxName bounds the length of a name that is made of a legend format, which may repeat labels.
	maxName = 1000
)

// legendFormat is a parsed legend format: texts, each followed by the value of a label.
type legendFormat []legendPart

type legendPart struct{ text, label string }

// parseLegend parses a legend format, in which {{label}} is the value of a label.
func parseLegend(format string) legendFormat {
	var parts legendFormat
	rest := 0
	for _, match := range legendLabel.FindAllStringSubmatchIndex(format, -1) {
		parts = append(parts, legendPart{format[rest:match[0]], format[match[2]:match[3]]})
		rest = match[1]
	}
	return append(parts, legendPart{text: format[rest:]})
}

// name is the name of a series with these labels, truncated if it is too long.
func (f legendFormat) name(labels data.Labels) string {
	if len(f) == 1 {
		return f[0].text // the same text for all series
	}
	var name strings.Builder
	for _, part := range f {
		name.WriteString(part.text)
		value := labels[part.label]
		if name.Len()+len(value) > maxName {
			return strings.ToValidUTF8((name.String() + value[:min(len(value), maxName)])[:maxName], "") + "…"
		}
		name.WriteString(value)
	}
	return name.String()
}

// seriesLegend is the name of a series by the legend of the query; without a legend, it is the series in PromQL. With an empty
// name, Grafana names the series.
func (q *parsedQuery) seriesLegend(labels data.Labels) string {
	switch {
	case q.LegendFormat == autoLegend && len(labels) > 0:
		return ""
	case q.LegendFormat == "" || q.LegendFormat == autoLegend:
		if len(labels) == 0 {
			return q.Expr
		}
		return seriesName(labels)
	}
	return q.legend.name(labels)
}

// seriesName is a series in PromQL, name{label="value", …}, with sorted labels.
func seriesName(labels data.Labels) string {
	var some [16]string
	names := slices.AppendSeq(some[:0], maps.Keys(labels))
	slices.Sort(names)
	name := append(make([]byte, 0, 256), labels[metricName]...)
	separator := "{"
	for _, label := range names {
		if label != metricName {
			name = append(append(append(name, separator...), label...), '=')
			name = strconv.AppendQuote(name, labels[label])
			separator = ", "
		}
	}
	if separator != "{" {
		name = append(name, '}')
	}
	return string(name)
}
