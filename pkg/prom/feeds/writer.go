package feeds

import (
	"bufio"
	"cmp"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/prometheus/common/model"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
)

// pieceBytes is how much text is collected before it is written.
const pieceBytes = 64 << 10

// writer writes series by metric, the samples of each behind its type and meaning. No text is held in memory but a piece.
type writer struct {
	format   Format
	ready    func() io.Writer
	describe func(metric string) (kind, help string)
	// withInstance gives an empty label instance to series without it.
	withInstance bool

	to *bufio.Writer
	// metric is that of the last header.
	metric string
}

// write writes series, those of a metric together. Calls for one metric follow each other.
func (w *writer) write(all []series.Series) error {
	byMetric := func(a, b series.Series) int {
		return strings.Compare(a.Labels[model.MetricNameLabel], b.Labels[model.MetricNameLabel])
	}
	slices.SortStableFunc(all, byMetric)
	var name []byte
	for _, s := range all {
		if len(s.Values) == 0 {
			continue
		}
		w.begin()
		if metric := s.Labels[model.MetricNameLabel]; metric != w.metric {
			w.metric = metric
			kind, help := w.describe(metric)
			_, _ = w.to.Write(w.format.appendHeader(w.to.AvailableBuffer(), metric, kind, help)) // an error of w is that of Flush
		}
		if _, ok := s.Labels[model.InstanceLabel]; w.withInstance && !ok {
			s.Labels = maps.Clone(s.Labels)
			s.Labels[model.InstanceLabel] = ""
		}
		name = appendSeriesName(name[:0], s.Labels)
		for i, value := range s.Values {
			_, _ = w.to.Write(w.format.appendSample(w.to.AvailableBuffer(), name, s.Times[i], value))
		}
	}
	if w.to == nil {
		return nil
	}
	return w.to.Flush()
}

func (w *writer) begin() {
	if w.to == nil {
		w.to = bufio.NewWriterSize(w.ready(), pieceBytes)
	}
}

// end writes the last line, without which the response is not complete.
func (w *writer) end() error {
	w.begin()
	_, err := w.to.WriteString(eof)
	return cmp.Or(err, w.to.Flush())
}
