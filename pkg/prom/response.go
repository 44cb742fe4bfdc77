package prom

import (
	"bufio"
	"encoding/json"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
)

// encodeBuffer is how much of a response is encoded before it is written, in bytes.
const encodeBuffer = 64 << 10

// Response is a successful response of the Prometheus HTTP API, to be written with [Response.Write].
type Response struct {
	Warnings, Infos []string
	// result is that of a query; or else there is a list.
	result *promql.Result
	list   *promql.List
	// metadata are those of the metrics of a list of names, which they replace; nil for any other response.
	metadata map[string][]metadata
}

// Write writes the response as JSON, in pieces, so that a large one is never in memory as text.
func (r *Response) Write(to io.Writer) error {
	w := bufio.NewWriterSize(to, encodeBuffer)
	_, _ = w.WriteString(`{"status":"success","data":`) // an error of w is that of Flush
	switch {
	case r.result != nil:
		writeResult(w, r.result)
	case r.metadata != nil:
		writeJSON(w, r.metadata)
	default:
		writeList(w, r.list)
	}
	for _, list := range []struct {
		name  string
		texts []string
	}{{"warnings", r.Warnings}, {"infos", r.Infos}} {
		if len(list.texts) > 0 {
			_, _ = w.WriteString(`,"` + list.name + `":`)
			writeJSON(w, list.texts)
		}
	}
	_, _ = w.WriteString("}\n")
	return w.Flush()
}

// Bytes is about how long the response is, where series have labels of some 300 bytes.
func (r *Response) Bytes() int {
	if r.result == nil {
		return r.list.Bytes()
	}
	return r.result.Matrix.Samples()*len(`[1790000040,"12.345"],`) + len(r.result.Matrix.Series)*300
}

// writeJSON writes texts or metadata, which can always be encoded.
func writeJSON(w *bufio.Writer, value any) {
	encoded, _ := json.Marshal(value)
	_, _ = w.Write(encoded)
}

func writeList(w *bufio.Writer, list *promql.List) {
	_ = w.WriteByte('[')
	for i, name := range list.Names {
		separate(w, i)
		_, _ = w.Write(appendText(w.AvailableBuffer(), name))
	}
	for i, labels := range list.Series {
		separate(w, i)
		_, _ = w.Write(appendLabels(w.AvailableBuffer(), labels))
	}
	_ = w.WriteByte(']')
}

// separate writes the comma before the element of a list.
func separate(w *bufio.Writer, i int) {
	if i > 0 {
		_ = w.WriteByte(',')
	}
}

// writeResult writes a result as the member "data" of a response of the Prometheus HTTP API.
//
// Format: https://prometheus.io/docs/prometheus/latest/querying/api/#expression-query-result-formats
func writeResult(w *bufio.Writer, result *promql.Result) {
	_, _ = w.WriteString(`{"resultType":"` + string(result.Type) + `","result":`)
	e := samplesEncoder{w: w, list: result.Type == parser.ValueTypeMatrix}
	all := result.Matrix.Series
	if result.Type == parser.ValueTypeScalar {
		e.sample(0, all[0].Times[0], all[0].Values[0])
		_ = w.WriteByte('}')
		return
	}
	_ = w.WriteByte('[')
	for i := range all {
		separate(w, i)
		e.series(&all[i])
	}
	_, _ = w.WriteString("]}")
}

// samplesEncoder writes series. Of a matrix, samples are in lists.
type samplesEncoder struct {
	w    *bufio.Writer
	list bool
	// milliseconds are the times of the samples of the last series, which most series share, and prefixes are the same, encoded.
	milliseconds []int64
	prefixes     [][]byte
}

func (e *samplesEncoder) series(s *series.Series) {
	_, _ = e.w.WriteString(`{"metric":`)
	_, _ = e.w.Write(appendLabels(e.w.AvailableBuffer(), s.Labels))
	if len(s.Values) > 0 {
		e.member(`,"value`, len(s.Values), func(i int) { e.sample(i, s.Times[i], s.Values[i]) })
	}
	if h := s.Histograms; h != nil {
		e.member(`,"histogram`, len(h.Times), func(i int) { e.histogram(h, i) })
	}
	_ = e.w.WriteByte('}')
}

// member writes a member whose name is in the plural for a list.
func (e *samplesEncoder) member(name string, n int, write func(i int)) {
	_, _ = e.w.WriteString(name)
	if !e.list {
		_, _ = e.w.WriteString(`":`)
		write(0)
		return
	}
	_, _ = e.w.WriteString(`s":[`)
	for i := range n {
		separate(e.w, i)
		write(i)
	}
	_ = e.w.WriteByte(']')
}

// sample writes [seconds, "value"].
func (e *samplesEncoder) sample(i int, at int64, value float64) {
	if i == len(e.milliseconds) {
		e.milliseconds, e.prefixes = append(e.milliseconds, at), append(e.prefixes, appendTime(nil, at))
	} else if e.milliseconds[i] != at {
		e.milliseconds[i], e.prefixes[i] = at, appendTime(e.prefixes[i][:0], at)
	}
	b := append(append(e.w.AvailableBuffer(), e.prefixes[i]...), ',')
	_, _ = e.w.Write(append(appendFloat(b, value), ']'))
}

// histogram writes [seconds, {"count": "…", "sum": "…", "buckets": [[layout, "lower", "upper", "within"], …]}].
func (e *samplesEncoder) histogram(h *series.Histograms, i int) {
	b := append(appendTime(e.w.AvailableBuffer(), h.Times[i]), `,{"count":`...)
	b = appendFloat(b, h.Count[i])
	b = append(b, `,"sum":`...)
	b = appendFloat(b, h.Sum[i])
	separator := `,"buckets":[`
	for bucket, end := h.Buckets(i); bucket < end; bucket++ {
		b = append(append(b, separator...), '[')
		b = strconv.AppendInt(b, int64(h.Layout[bucket]), 10)
		for _, value := range [3]float64{h.Lower[bucket], h.Upper[bucket], h.Within[bucket]} {
			b = appendFloat(append(b, ','), value)
		}
		b = append(b, ']')
		separator = ","
	}
	if separator == "," {
		b = append(b, ']')
	}
	_, _ = e.w.Write(append(b, `}]`...))
}

// appendTime appends the beginning of a sample, [seconds.
func appendTime(b []byte, milliseconds int64) []byte {
	return strconv.AppendFloat(append(b, '['), float64(milliseconds)/1000, 'f', -1, 64)
}

// appendFloat appends a value as text. Most have two decimal places at most, which take a third of the time of other values.
func appendFloat(b []byte, value float64) []byte {
	b = append(b, '"')
	hundredths := int64(math.RoundToEven(value * 100))
	if hundredths <= 0 || hundredths >= 1e15 || float64(hundredths)/100 != value {
		return append(strconv.AppendFloat(b, value, 'f', -1, 64), '"')
	}
	b = strconv.AppendInt(b, hundredths/100, 10)
	if rest := hundredths % 100; rest > 0 {
		b = append(b, '.', byte('0'+rest/10))
		if rest%10 > 0 {
			b = append(b, byte('0'+rest%10))
		}
	}
	return append(b, '"')
}

func appendLabels(b []byte, labels data.Labels) []byte {
	var some [16]string
	b = append(b, '{')
	for i, name := range series.SortedNames(labels, some[:0]) {
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
