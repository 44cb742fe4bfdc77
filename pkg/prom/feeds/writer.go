package feeds

import (
	"bufio"
	"cmp"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/prometheus/common/model"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
)

// pieceBytes is how much text is collected before it is written.
const pieceBytes = 64 << 10

// writer writes series by metric. No text is held in memory but a piece.
type writer struct {
	// ready is called before the first sample.
	ready func() io.Writer
	// inSeconds writes times in seconds, not in milliseconds.
	inSeconds bool
	// withInstance gives an empty label instance to series without it.
	withInstance bool

	to *bufio.Writer
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
		if _, ok := s.Labels[model.InstanceLabel]; w.withInstance && !ok {
			s.Labels = maps.Clone(s.Labels)
			s.Labels[model.InstanceLabel] = ""
		}
		name = append(appendSeriesName(name[:0], s.Labels), ' ')
		for i, value := range s.Values {
			_, _ = w.to.Write(w.appendSample(w.to.AvailableBuffer(), name, s.Times[i], value)) // an error of w is that of Flush
		}
	}
	if w.to == nil {
		return nil
	}
	return w.to.Flush()
}

// appendSample appends a line: the name of a series, a value and its time in Unix milliseconds.
func (w *writer) appendSample(b, name []byte, at int64, value float64) []byte {
	b = append(strconv.AppendFloat(append(b, name...), value, 'g', -1, 64), ' ')
	if w.inSeconds {
		b = strconv.AppendFloat(b, float64(at)/1000, 'f', -1, 64)
	} else {
		b = strconv.AppendInt(b, at, 10)
	}
	return append(b, '\n')
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
