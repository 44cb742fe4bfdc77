package feeds

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/prometheus/common/model"
)

// Format is a text format that Prometheus and other engines read. Timestamps are in milliseconds in Text, and in seconds in OpenMetrics, which ends in [eof].
//
// Formats: https://prometheus.io/docs/instrumenting/exposition_formats/ and
// https://prometheus.io/docs/specs/om/open_metrics_spec/
type Format int

// The formats.
const (
	Text Format = iota
	OpenMetrics
)

// eof is the last line of OpenMetrics: without it a response is not complete. In the other format it is a comment.
const eof = "# EOF\n"

// ContentType is that of a response.
func (f Format) ContentType() string {
	if f == OpenMetrics {
		return "application/openmetrics-text; version=1.0.0; charset=utf-8"
	}
	return "text/plain; version=0.0.4; charset=utf-8"
}

// Accepted is OpenMetrics if the header Accept of a request names it, as that of Prometheus does.
func Accepted(accept string) Format {
	if strings.Contains(accept, "application/openmetrics-text") {
		return OpenMetrics
	}
	return Text
}

// The types of metrics, as both formats have them.
const (
	counter   = "counter"
	histogram = "histogram"
)

// appendHeader appends the lines with type and meaning of a metric; nothing if the type is empty. The series of a histogram have
// the header of the histogram, once: before the first, which is that with the suffix _bucket in the order of names.
//
// In OpenMetrics a counter has the suffix _total, so that one without, such as those of DCGM, has an unknown type there.
func (f Format) appendHeader(b []byte, metric, kind, help string) []byte {
	if kind == "" || !model.LegacyValidation.IsValidMetricName(metric) {
		return b
	}
	if kind == histogram {
		family, isFirst := strings.CutSuffix(metric, "_bucket")
		if !isFirst {
			return b
		}
		metric = family
	}
	if f == OpenMetrics && kind == counter {
		family, hasSuffix := strings.CutSuffix(metric, "_total")
		if metric = family; !hasSuffix {
			kind = "unknown"
		}
	}
	if help != "" {
		b = append(append(append(append(b, "# HELP "...), metric...), ' '), helpEscapes.Replace(help)...)
		b = append(b, '\n')
	}
	b = append(append(append(append(b, "# TYPE "...), metric...), ' '), kind...)
	return append(b, '\n')
}

// appendSample appends a line: the name of a series, a value and its time in Unix milliseconds.
func (f Format) appendSample(b, name []byte, at int64, value float64) []byte {
	b = append(append(b, name...), ' ')
	b = append(strconv.AppendFloat(b, value, 'g', -1, 64), ' ')
	if f == OpenMetrics {
		b = strconv.AppendFloat(b, float64(at)/1000, 'f', -1, 64)
	} else {
		b = strconv.AppendInt(b, at, 10)
	}
	return append(b, '\n')
}

var (
	helpEscapes  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	valueEscapes = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
)

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
