package feeds

import (
	"maps"
	"slices"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/prometheus/common/model"
)

// The formats of federations and exports. Times are milliseconds in the first and seconds in the second. Neither has types of metrics:
// Prometheus' own federation has none, and by the type of a histogram Prometheus 3 changes the label le.
//
// Formats: https://prometheus.io/docs/instrumenting/exposition_formats/ and https://prometheus.io/docs/specs/om/open_metrics_spec/
const (
	Text        = "text/plain; version=0.0.4; charset=utf-8"
	OpenMetrics = "application/openmetrics-text; version=1.0.0; charset=utf-8"
)

// eof is the last line of OpenMetrics: without it a response is not complete. In the other format it is a comment.
const eof = "# EOF\n"

var valueEscapes = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)

// appendSeriesName appends name{label="value"}, where the name is the label __name__. Names that are not those of old are quoted,
// within the braces.
func appendSeriesName(b []byte, labels data.Labels) []byte {
	name := labels[model.MetricNameLabel]
	isPlain := model.LegacyValidation.IsValidMetricName(name)
	if isPlain {
		b = append(b, name...)
	}
	separator := byte('{')
	next := func() {
		b = append(b, separator)
		separator = ','
	}
	if !isPlain {
		next()
		b = appendQuoted(b, name)
	}
	for _, label := range slices.Sorted(maps.Keys(labels)) {
		if label == model.MetricNameLabel {
			continue
		}
		next()
		if model.LegacyValidation.IsValidLabelName(label) {
			b = append(b, label...)
		} else {
			b = appendQuoted(b, label)
		}
		b = appendQuoted(append(b, '='), labels[label])
	}
	if separator == ',' {
		b = append(b, '}')
	}
	return b
}

func appendQuoted(b []byte, text string) []byte {
	b = append(b, '"')
	b = append(b, valueEscapes.Replace(text)...)
	return append(b, '"')
}
