// Package promjson decodes responses of the Prometheus HTTP API.
//
// It decodes a response in one pass while it arrives, and holds only its series in memory. It is several times as fast as
// general JSON libraries, and decoding dominates the processor time of a metrics data source.
package promjson

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"sync/atomic"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
)

// ErrMalformed means that a body is not a complete response of the Prometheus HTTP API.
var ErrMalformed = errors.New("malformed Prometheus response")

// ErrTooLong is the error of a response with a text or a set of labels over a bound.
var ErrTooLong = fmt.Errorf("a text of more than %d MB, or a series of more than %d labels", maxText>>20, maxLabels)

// Failure is the message of a query that failed, as its response says. It is not empty.
type Failure string

func (f Failure) Error() string { return string(f) }

// Decode decodes the response to a Prometheus query or query_range request. Series are in the order received, and those without
// samples are left out, and so are the labels that are dropped. A response over a limit is not read further.
//
// It accepts the JSON that encoding/json accepts, but is stricter: a member of the API must have the case and type of the API
// and must not be duplicated, nor must a label of a series. Unknown members may have any value. A sample value is parsed as by
// strconv.ParseFloat; a value out of the range of a float64 is infinite. Times have a precision of milliseconds.
//
// Errors are [ErrMalformed] if the body is truncated, has trailing data or another structure, [ErrTooLong], a [Failure], that
// of [promql.Limits.Check], or the error of the reader. There is no partial result then.
//
// Format: https://prometheus.io/docs/prometheus/latest/querying/api/#expression-query-result-formats
func Decode(r io.Reader, limits promql.Limits, dropped ...string) (*promql.Result, error) {
	d := newDecoder(r, limits, dropped)
	result := &promql.Result{}
	if err := d.response(func() { d.data(&result.Type) }); err != nil {
		return nil, err
	}
	switch {
	case result.Type == parser.ValueTypeString && d.structure == parser.ValueTypeScalar:
		return nil, text
	case !d.completes(result.Type):
		return nil, ErrMalformed
	}
	result.Matrix, result.Warnings, result.Infos = d.series, d.warnings, d.infos
	return result, nil
}

// decoder is the state of decoding one response.
type decoder struct {
	scanner scanner
	// times and values of the current series are scratch memory. Times are milliseconds since 1970.
	times  []int64
	values []float64
	// histograms are those of the current series, or nil.
	histograms *series.Histograms
	series     *series.Matrix
	interned   map[string]string // label names and values, each of which is allocated once for all series
	// structure is the type that has the JSON structure of the result: none of an empty list, scalar of a string, too. It is compared with
	// the type at the end, because the type may follow the result.
	structure parser.ValueType
	// singleTime, in milliseconds since 1970, and singleText are those of a scalar or string.
	singleTime int64
	singleText string
	// warnings and infos are what all responses have beside their data.
	warnings, infos []string
	limits          promql.Limits
	dropped         []string // labels
	// total counts the samples of the series that are decoded, count is the number of these with the current one, and room is how many
	// samples that may have.
	total       *atomic.Int64
	count, room int
}

func newDecoder(r io.Reader, limits promql.Limits, dropped []string) *decoder {
	return &decoder{
		scanner: scanner{Reader: bufio.NewReaderSize(r, bufferSize)}, interned: map[string]string{}, series: series.New(),
		limits: limits, dropped: dropped, total: cmp.Or(limits.Total, &atomic.Int64{}),
	}
}

// begin begins a series, or an element of a list.
func (d *decoder) begin() {
	d.count++
	d.room = math.MaxInt
	if d.limits.Samples > 0 {
		d.room = max(0, d.limits.Samples-int(d.total.Load()))
	}
	d.check(0)
}

// check ends the stream if the response is over a limit with so many samples more.
func (d *decoder) check(more int) {
	if err := d.limits.Check(d.count, int(d.total.Load())+more); err != nil {
		d.scanner.fail(err)
	}
}

// intern returns a string without allocating it again for each series.
func (d *decoder) intern(text []byte) string {
	if s, ok := d.interned[string(text)]; ok {
		return s
	}
	s := string(text)
	d.interned[s] = s
	return s
}

// partial is the warning of a response with isPartial.
//
// Source: https://docs.victoriametrics.com/victoriametrics/cluster-victoriametrics/#cluster-availability
const partial = "The platform could not reach all of its data, so this result is partial."

// text is the failure of an expression that is a text.
const text Failure = "The expression is a text, which has no samples."

// completes reports whether the structure of the result matches its type. It adds the series of a scalar.
func (d *decoder) completes(resultType parser.ValueType) bool {
	switch resultType {
	case parser.ValueTypeMatrix, parser.ValueTypeVector:
		return d.structure == resultType || d.structure == parser.ValueTypeNone
	case parser.ValueTypeScalar:
		value, ok := parseFloat([]byte(d.singleText))
		d.series.Add(data.Labels{}, []int64{d.singleTime}, []float64{value}, nil)
		return d.structure == resultType && ok
	}
	return false
}

// data decodes the member "data" of the response to a query.
func (d *decoder) data(resultType *parser.ValueType) {
	s := &d.scanner
	if s.null() {
		return
	}
	for name := range s.object("resultType", "result") {
		if name == "resultType" {
			*resultType = parser.ValueType(s.text())
		} else {
			d.result()
		}
	}
}

// result decodes a list of series or a single [time, value].
func (d *decoder) result() {
	s := &d.scanner
	d.structure = parser.ValueTypeNone
	if s.null() {
		return
	}
	for more := s.open('[', ']'); more; more = s.next(']') {
		structure := parser.ValueTypeScalar
		if s.peek() == '{' {
			structure = d.oneSeries()
		} else {
			d.singleTime = s.timestamp()
			s.expect(',')
			d.singleText = string(s.string())
		}
		if d.structure != parser.ValueTypeNone && (structure != d.structure || structure == parser.ValueTypeScalar) {
			s.fail(ErrMalformed)
		}
		d.structure = structure
	}
}

// unexplained is the error of a response without one.
const unexplained = "The query failed, and the result does not say why."

// response decodes a response, whose member "data" is decoded by data. Its error is the reader's, ErrMalformed or a Failure.
func (d *decoder) response(data func()) error {
	var status string
	failure, isPartial := Failure(unexplained), false
	s := &d.scanner
	for name := range s.object("status", "errorType", "error", "warnings", "infos", "isPartial", "data") {
		switch name {
		case "status":
			status = s.text()
		case "errorType":
			s.text()
		case "error":
			if message := s.text(); message != "" {
				failure = Failure(message)
			}
		case "warnings":
			d.warnings = s.texts()
		case "infos":
			d.infos = s.texts()
		case "isPartial":
			isPartial = s.peek() == 't'
			s.skip()
		case "data":
			data()
		}
	}
	if isPartial {
		d.warnings = append(d.warnings, partial)
	}
	whole := s.atEnd()
	switch {
	case s.err != nil:
		return s.err
	case whole && status == "success":
		return nil
	case whole && status == "error":
		return failure
	}
	return ErrMalformed
}
