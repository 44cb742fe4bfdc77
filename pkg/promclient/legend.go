package promclient

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/data"
)

const (
	metricName = "__name__"
	// autoLegend leaves naming to Grafana, which shows only the labels in which series differ.
	autoLegend = "__auto"
)

var legendLabel = regexp.MustCompile(`\{\{\s*(.+?)\s*\}\}`)

const (
	// maxLegend is how long a legend's format may be, in bytes.
	maxLegend = 1000
	// maxName is how long a name gets that a legend's format makes. A format may repeat a label any number of times.
	maxName = 1000
)

// legendFormat is a legend's format in parts: texts, each followed by a label's value.
type legendFormat []legendPart

type legendPart struct{ text, label string }

// parseLegend takes a format apart, once for all series. {{label}} stands for a label's value.
func parseLegend(format string) legendFormat {
	var parts legendFormat
	rest := 0
	for _, match := range legendLabel.FindAllStringSubmatchIndex(format, -1) {
		parts = append(parts, legendPart{format[rest:match[0]], format[match[2]:match[3]]})
		rest = match[1]
	}
	return append(parts, legendPart{text: format[rest:]})
}

// name is the format with a series' values in it, cut where it gets too long to be read.
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

// seriesLegend names a series by the query's legend; without one the name is the series itself, as PromQL writes it. An empty
// name leaves naming to Grafana.
func (q *Query) seriesLegend(labels data.Labels) string {
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

// seriesName writes name{label="value", …}, labels sorted.
func seriesName(labels data.Labels) string {
	names := make([]string, 0, len(labels))
	for name := range labels {
		if name != metricName {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return labels[metricName]
	}
	slices.Sort(names)
	var b strings.Builder
	b.WriteString(labels[metricName])
	separator := "{"
	for _, name := range names {
		b.WriteString(separator + name + "=" + strconv.Quote(labels[name]))
		separator = ", "
	}
	b.WriteString("}")
	return b.String()
}
