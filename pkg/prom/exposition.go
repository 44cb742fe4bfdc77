package prom

import (
	"bufio"
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/prometheus/common/model"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
)

// The formats of federations and exports. Times are milliseconds in the first and seconds in the second. Neither has types of metrics:
// Prometheus' own federation has none, and by the type of a histogram Prometheus 3 changes the label le.
//
// Formats: https://prometheus.io/docs/instrumenting/exposition_formats/ and https://prometheus.io/docs/specs/om/open_metrics_spec/
const (
	PlainText   = "text/plain; version=0.0.4; charset=utf-8"
	OpenMetrics = "application/openmetrics-text; version=1.0.0; charset=utf-8"
)

// eof is the last line of OpenMetrics: without it a response is not complete. In the other format it is a comment.
const eof = "# EOF\n"

var valueEscapes = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)

// appendSeriesName appends name{label="value"} with sorted labels, where the name is the label __name__. Names that are not those of old
// are quoted, within the braces.
func appendSeriesName(b []byte, labels data.Labels, comma string, quote func(b []byte, text string) []byte) []byte {
	name := labels[model.MetricNameLabel]
	separator := "{"
	if model.LegacyValidation.IsValidMetricName(name) || name == "" {
		b = append(b, name...)
	} else {
		b = quote(append(b, separator...), name)
		separator = comma
	}
	var some [16]string
	for _, label := range series.SortedNames(labels, some[:0]) {
		if label == model.MetricNameLabel {
			continue
		}
		b = append(b, separator...)
		separator = comma
		if model.LegacyValidation.IsValidLabelName(label) {
			b = append(b, label...)
		} else {
			b = quote(b, label)
		}
		b = quote(append(b, '='), labels[label])
	}
	if separator == comma {
		b = append(b, '}')
	}
	return b
}

func appendQuoted(b []byte, text string) []byte {
	b = append(b, '"')
	b = append(b, valueEscapes.Replace(text)...)
	return append(b, '"')
}

// samplesWriter writes series by metric. No text is held in memory but a piece.
type samplesWriter struct {
	*bufio.Writer
	// format is one of the formats above.
	format string
	// withInstance gives an empty label instance to series without it.
	withInstance bool
}

// write writes series, those of a metric together. Calls for one metric follow each other.
func (w samplesWriter) write(all []series.Series) error {
	byMetric := func(a, b series.Series) int {
		return strings.Compare(a.Labels[model.MetricNameLabel], b.Labels[model.MetricNameLabel])
	}
	slices.SortStableFunc(all, byMetric)
	var name []byte
	for _, s := range all {
		if len(s.Values) == 0 {
			continue
		}
		if _, ok := s.Labels[model.InstanceLabel]; w.withInstance && !ok {
			s.Labels = maps.Clone(s.Labels)
			s.Labels[model.InstanceLabel] = ""
		}
		name = append(appendSeriesName(name[:0], s.Labels, ",", appendQuoted), ' ')
		for i, value := range s.Values {
			_, _ = w.Write(w.appendSample(w.AvailableBuffer(), name, s.Times[i], value)) // an error of w is that of Flush
		}
	}
	return w.Flush()
}

// appendSample appends a line: the name of a series, a value and its time in Unix milliseconds.
func (w samplesWriter) appendSample(b, name []byte, at int64, value float64) []byte {
	b = append(strconv.AppendFloat(append(b, name...), value, 'g', -1, 64), ' ')
	if w.format == OpenMetrics {
		b = strconv.AppendFloat(b, float64(at)/1000, 'f', -1, 64)
	} else {
		b = strconv.AppendInt(b, at, 10)
	}
	return append(b, '\n')
}

// end writes the last line, without which the response is not complete.
func (w samplesWriter) end() error {
	_, err := w.WriteString(eof)
	return cmp.Or(err, w.Flush())
}
