package metrics

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

// legend names a series by the query's legend format, where {{label}} stands for a label's value; without one the name is
// the series itself, as PromQL writes it. An empty name leaves naming to Grafana.
func legend(q *Query, labels data.Labels) string {
	switch {
	case q.LegendFormat == autoLegend && len(labels) > 0:
		return ""
	case q.LegendFormat == "" || q.LegendFormat == autoLegend:
		if len(labels) == 0 {
			return q.Expr
		}
		return seriesName(labels)
	}
	return legendLabel.ReplaceAllStringFunc(q.LegendFormat, func(match string) string {
		return labels[legendLabel.FindStringSubmatch(match)[1]]
	})
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
