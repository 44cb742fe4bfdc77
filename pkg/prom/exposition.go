package prom

import (
	"bufio"
	"cmp"
	"fmt"
	"hash/maphash"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/prometheus/common/model"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
)

// OpenMetrics is the format of federations and exports. It has no types of metrics here: Prometheus' own federation has none, and by the type
// of a histogram Prometheus 3 changes the label le.
//
// Format: https://prometheus.io/docs/specs/om/open_metrics_spec/
const OpenMetrics = "application/openmetrics-text; version=1.0.0; charset=utf-8"

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

// maxFeedSeries bounds the series of a federation, or of a part of an export: some 40 MB of hashes.
const maxFeedSeries = 1_000_000

var keySeed = maphash.MakeSeed()

// samplesWriter writes series by metric, and counts their samples. No text is held in memory but a piece.
type samplesWriter struct {
	*bufio.Writer
	// withInstance gives an empty label instance to series without it.
	withInstance bool
	// written are hashes of the keys of the series that were written: another selector may match them, too.
	written map[uint64]bool
	samples int
}

func newSamplesWriter(to io.Writer) *samplesWriter {
	return &samplesWriter{Writer: bufio.NewWriterSize(to, encodeBuffer), written: map[uint64]bool{}}
}

// write writes the series that are not written yet, those of a metric together.
func (w *samplesWriter) write(all []series.Series) error {
	slices.SortStableFunc(all, func(a, b series.Series) int {
		return strings.Compare(a.Labels[model.MetricNameLabel], b.Labels[model.MetricNameLabel])
	})
	var name []byte
	for _, s := range all {
		hash := maphash.String(keySeed, s.Key)
		if w.written[hash] {
			continue
		}
		if w.written[hash] = true; len(w.written) > maxFeedSeries {
			return invalidParam("match[]", fmt.Sprintf("more than %d series match. Match fewer", maxFeedSeries))
		}
		if _, ok := s.Labels[model.InstanceLabel]; w.withInstance && !ok {
			s.Labels = maps.Clone(s.Labels)
			s.Labels[model.InstanceLabel] = ""
		}
		name = append(appendSeriesName(name[:0], s.Labels, ",", appendQuoted), ' ')
		for i, value := range s.Values {
			b := append(w.AvailableBuffer(), name...)
			b = append(strconv.AppendFloat(b, value, 'g', -1, 64), ' ')
			b = strconv.AppendFloat(b, float64(s.Times[i])/1000, 'f', -1, 64)
			_, _ = w.Write(append(b, '\n')) // an error of w is that of Flush
		}
		w.samples += len(s.Values)
	}
	return w.Flush()
}

// end writes the last line, without which the response is not complete.
func (w *samplesWriter) end() error {
	_, err := w.WriteString("# EOF\n")
	return cmp.Or(err, w.Flush())
}
