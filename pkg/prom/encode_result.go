package prom

import (
	"bufio"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promjson"
)

// encodeBuffer is how much of a response is encoded before it is written, in bytes.
const encodeBuffer = 64 << 10

// WriteTo writes the response as JSON, in pieces, so that a large one is never in memory as text.
func (e *Envelope) WriteTo(to io.Writer) (int64, error) {
	counted := &countingWriter{Writer: to}
	w := bufio.NewWriterSize(counted, encodeBuffer)
	_, _ = w.WriteString(`{"status":"` + e.Status + `","data":`) // an error of w is that of Flush
	if e.result != nil {
		writeResult(w, e.result)
	} else {
		_, _ = w.Write(e.Data)
	}
	for _, list := range []struct {
		name  string
		texts []string
	}{{"warnings", e.Warnings}, {"infos", e.Infos}} {
		if len(list.texts) > 0 {
			encoded, _ := json.Marshal(list.texts) // never fails for strings
			_, _ = w.WriteString(`,"` + list.name + `":`)
			_, _ = w.Write(encoded)
		}
	}
	if e.IsPartial {
		_, _ = w.WriteString(`,"isPartial":true`)
	}
	_, _ = w.WriteString("}\n")
	err := w.Flush()
	return counted.n, err
}

// Bytes is about how long the response is.
func (e *Envelope) Bytes() int {
	if e.result == nil {
		return len(e.Data)
	}
	_, samples := e.result.Size()
	return samples * len(`[1790000040,"12.345"],`)
}

type countingWriter struct {
	io.Writer
	n int64
}

func (w *countingWriter) Write(b []byte) (int, error) {
	n, err := w.Writer.Write(b)
	w.n += int64(n)
	return n, err
}

// isEncodable is false for strings and native histograms, of which frames hold less than the response had.
func isEncodable(result *promjson.Result) bool {
	return result.Type != promjson.String && !slices.ContainsFunc(result.Frames, isNativeHistogram)
}

// writeResult writes a result as the member "data" of a response of the Prometheus HTTP API.
//
// Format: https://prometheus.io/docs/prometheus/latest/querying/api/#expression-query-result-formats
func writeResult(w *bufio.Writer, result *promjson.Result) {
	_, _ = w.WriteString(`{"resultType":"` + result.Type + `","result":`)
	var times encodedTimes
	if result.Type == promjson.Scalar {
		times.writeFrame(w, result.Frames[0])
		_ = w.WriteByte('}')
		return
	}
	before, after := `,"values":[`, `]}`
	if result.Type == promjson.Vector {
		before, after = `,"value":`, `}`
	}
	separator := `[`
	write := func(labels data.Labels, samples func()) {
		_, _ = w.WriteString(separator + `{"metric":`)
		_, _ = w.Write(appendLabels(w.AvailableBuffer(), labels))
		_, _ = w.WriteString(before)
		samples()
		_, _ = w.WriteString(after)
		separator = `,`
	}
	if result.Matrix != nil {
		for i := range result.Matrix.Series {
			s := &result.Matrix.Series[i]
			write(s.Labels, func() {
				for j, value := range s.Values {
					times.writeSample(w, j, result.Matrix.Time(s.Step(j)), value)
				}
			})
		}
	}
	for _, frame := range result.Frames {
		write(frame.Fields[1].Labels, func() { times.writeFrame(w, frame) })
	}
	if separator == `[` {
		_ = w.WriteByte('[')
	}
	_, _ = w.WriteString("]}")
}

func appendLabels(b []byte, labels data.Labels) []byte {
	var some [16]string
	names := slices.AppendSeq(some[:0], maps.Keys(labels))
	slices.Sort(names)
	b = append(b, '{')
	for i, name := range names {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendText(b, name)
		b = append(b, ':')
		b = appendText(b, labels[name])
	}
	return append(b, '}')
}

func appendText(b []byte, text string) []byte {
	if strings.ContainsFunc(text, mayBeEscaped) {
		encoded, _ := json.Marshal(text) // never fails for a string
		return append(b, encoded...)
	}
	b = append(b, '"')
	b = append(b, text...)
	return append(b, '"')
}

// mayBeEscaped reports whether encoding/json may write a character in another way.
func mayBeEscaped(r rune) bool {
	return r < ' ' || r > '~' || r == '"' || r == '\\' || r == '<' || r == '>' || r == '&'
}

// encodedTimes are the times of the samples of the last series, which most series share, as `[1790000040,"`.
type encodedTimes struct {
	milliseconds []int64
	prefixes     [][]byte
}

// writeFrame writes the samples of a frame as a list without its brackets.
func (t *encodedTimes) writeFrame(w *bufio.Writer, frame *data.Frame) {
	for row := range frame.Rows() {
		// Pointers, because Field.At allocates an interface for each value.
		t.writeSample(w, row, frame.Fields[0].PointerAt(row).(*time.Time).UnixMilli(), *frame.Fields[1].PointerAt(row).(*float64))
	}
}

// writeSample writes a sample of a list, [seconds, "value"], and the comma before it.
func (t *encodedTimes) writeSample(w *bufio.Writer, i int, at int64, value float64) {
	if i == len(t.milliseconds) {
		t.milliseconds, t.prefixes = append(t.milliseconds, at), append(t.prefixes, encodedTime(nil, at))
	} else if t.milliseconds[i] != at {
		t.milliseconds[i], t.prefixes[i] = at, encodedTime(t.prefixes[i][:0], at)
	}
	b := w.AvailableBuffer()
	if i > 0 {
		b = append(b, ',')
	}
	b = append(b, t.prefixes[i]...)
	b = strconv.AppendFloat(b, value, 'f', -1, 64)
	_, _ = w.Write(append(b, '"', ']'))
}

func encodedTime(to []byte, milliseconds int64) []byte {
	return append(strconv.AppendFloat(append(to, '['), float64(milliseconds)/1000, 'f', -1, 64), ',', '"')
}
