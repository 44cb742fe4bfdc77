package promjson

import (
	"errors"
	"io"
	"sync"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
)

// ErrMalformed means that a body is not a complete response of the Prometheus query API.
var ErrMalformed = errors.New("malformed Prometheus response")

// The values of Result.Type, which is Prometheus' resultType.
const (
	Matrix = "matrix"
	Vector = "vector"
	Scalar = "scalar"
	String = "string"
)

// Result is a decoded response.
type Result struct {
	// Type is the resultType of the response.
	Type string
	// Frames has a frame for each series, in the order received. A frame has two fields: "Time" (UTC, millisecond precision)
	// and "Value" (float64, including NaN and ±Inf), which has the labels of the series. Series with the same times share the
	// times of their fields: set the name and config of a field, but not its times. The frame of a vector or scalar has one
	// row. The frame of a string has a text as "Value".
	//
	// The native histograms of a series are a frame of type [FrameTypeHeatmapCells] with a row for each bucket and the fields
	// "xMax" (the time), "yMin", "yMax", "count" (float64) and "yLayout" (int8, which of the bounds are inclusive), all of which
	// have the labels of the series. If the series has samples, too, their frame follows.
	Frames data.Frames
	// Matrix has the series of a result of [DecodeMatrix]; there are no frames then.
	Matrix *series.Matrix
	// Warnings and Infos are the annotations of the query engine. A response with isPartial, as VictoriaMetrics sends it, has
	// a warning.
	Warnings, Infos []string
	// ErrorType and Error are set if the query failed; there are no frames then, and Error is not empty.
	ErrorType, Error string
}

// Decode decodes the response to a Prometheus query or query_range request. A response over a limit is read to its end and
// counted, but not held in memory.
//
// It accepts the JSON that encoding/json accepts, but is stricter: a member of the API must have the case and type of the API
// and must not be duplicated, nor must a label of a series. Unknown members may have any value. A sample value is parsed as by
// strconv.ParseFloat; a value out of the range of a float64 is infinite.
//
// Errors are [ErrMalformed] if the body is truncated, has trailing data or another structure, a *[LimitError], or the error of
// the reader. There is no partial result then.
//
// Format: https://prometheus.io/docs/prometheus/latest/querying/api/#expression-query-result-formats
func Decode(r io.Reader, limits Limits) (*Result, error) { return decode(r, limits, nil, nil) }

// DecodeMatrix is [Decode] for the response to a range query. The result has a matrix, or frames if its series have no place in one:
// their samples are not on the steps of the request, because the platform aligns ranges, or some are native histograms.
func DecodeMatrix(r io.Reader, steps series.Grid, limits Limits) (*Result, error) {
	return decode(r, limits, nil, &series.Builder{Grid: steps})
}

// AllFrames are the series of a result as frames, which the caller owns, but not their labels.
func (r *Result) AllFrames() data.Frames {
	if r.Matrix != nil {
		return r.Matrix.Frames()
	}
	return r.Frames
}

// WithFrames is a result without a matrix, in place of which it has frames.
func (r *Result) WithFrames() *Result {
	own := *r
	own.Frames, own.Matrix = r.AllFrames(), nil
	return &own
}

// Labels visits the labels of each series.
func (r *Result) Labels(visit func(data.Labels) bool) {
	if r.Matrix != nil {
		for i := range r.Matrix.Series {
			if !visit(r.Matrix.Series[i].Labels) {
				return
			}
		}
	}
	for _, frame := range r.Frames {
		if !visit(frame.Fields[len(frame.Fields)-1].Labels) {
			return
		}
	}
}

// Size is the number of series, and that of their samples.
func (r *Result) Size() (series, samples int) {
	if r.Matrix != nil {
		return len(r.Matrix.Series), r.Matrix.Samples()
	}
	for _, frame := range r.Frames {
		samples += frame.Rows()
	}
	return len(r.Frames), samples
}

// Visit is called with each series of a response and its samples, in the order received; times are Unix milliseconds. It may change
// but not keep the slices; the labels are its own.
type Visit func(labels data.Labels, times []int64, values []float64) error

// Each is [Decode] for a matrix or vector that is not held in memory: the result has no frames. Native histograms are left out.
// Whether the response is complete and a success is only known at the end. An error of visit ends the decoding.
func Each(r io.Reader, limits Limits, visit Visit) (*Result, error) {
	return decode(r, limits, visit, nil)
}

func decode(r io.Reader, limits Limits, visit Visit, matrix *series.Builder) (*Result, error) {
	d := decoders.Get().(*decoder)
	defer d.release()
	d.visit, d.matrix = visit, matrix
	d.scanner.reset(r)
	d.tally = newTally(limits)
	result, err := d.response()
	if d.visitErr != nil {
		return nil, d.visitErr
	}
	if d.scanner.readErr != nil {
		return nil, d.scanner.readErr
	}
	return result, err
}

// decoder is the state of decoding one response. Its slices are scratch memory: data.NewField copies them.
type decoder struct {
	scanner scanner
	times   []int64 // milliseconds since 1970
	values  []float64
	cells   cells
	// matrix takes the series as long as they have places in it.
	matrix *series.Builder
	// sharedTimes are the times that consecutive series share, and timesField is the field with them.
	sharedTimes []int64
	timesField  *data.Field
	interned    map[string]string // label names and values, each of which is allocated once for all series
	found       found
	tally       tally
	visit       Visit // nil if frames are made
	visitErr    error
}

// found is the structure of the decoded result, which must match its type.
type found struct {
	structure structure
	single    single
	partial   bool
}

// single is the [time, value] of a scalar or string.
type single struct {
	at   int64 // milliseconds since 1970
	text string
}

// structure is the JSON structure of a result. It is compared with the type at the end, because the type may follow the result.
type structure int

const (
	noStructure structure = iota
	emptyList             // a matrix or vector without series
	lists                 // series with "values" or "histograms"
	points                // series with "value" or "histogram"
	onlySingle            // [time, value]
)

var decoders = sync.Pool{New: func() any {
	return &decoder{scanner: scanner{buf: make([]byte, bufferSize)}, interned: map[string]string{}}
}}

// maxPooled bounds the scratch memory of a pooled decoder, in samples, strings, or bytes of a string.
const maxPooled = 1 << 16

func (d *decoder) release() {
	d.scanner.reset(nil)
	d.found, d.timesField = found{}, nil
	d.visit, d.visitErr, d.matrix = nil, nil, nil
	if len(d.interned) > maxPooled {
		d.interned = map[string]string{} // the time of clear grows with the largest size that the map had
	}
	clear(d.interned)
	if cap(d.times) <= maxPooled && cap(d.sharedTimes) <= maxPooled && cap(d.cells.xMax) <= maxPooled && cap(d.scanner.long) <= maxPooled {
		decoders.Put(d)
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

// members is the set of the members of an object that have been decoded.
type members uint8

const (
	memberStatus members = 1 << iota
	memberErrorType
	memberError
	memberWarnings
	memberInfos
	memberData
	memberResultType
	memberResult
)

// once adds a member, and returns an error if it is a duplicate.
func (m *members) once(member members) error {
	if *m&member != 0 {
		return ErrMalformed
	}
	*m |= member
	return nil
}

// partial is the warning of a response with isPartial.
//
// Source: https://docs.victoriametrics.com/victoriametrics/cluster-victoriametrics/#cluster-availability
const partial = "The platform could not reach all of its data, so this result is partial."

// unexplained is the error of a response without one.
const unexplained = "The query failed, and the result does not say why."

func (d *decoder) response() (*Result, error) {
	s := &d.scanner
	result := &Result{}
	var status string
	var seen members
	err := s.object(func(key []byte) error {
		var twice, err error
		switch string(key) {
		case "status":
			twice = seen.once(memberStatus)
			status, err = s.text()
		case "errorType":
			twice = seen.once(memberErrorType)
			result.ErrorType, err = s.text()
		case "error":
			twice = seen.once(memberError)
			result.Error, err = s.text()
		case "warnings":
			twice = seen.once(memberWarnings)
			result.Warnings, err = s.texts()
		case "infos":
			twice = seen.once(memberInfos)
			result.Infos, err = s.texts()
		case "isPartial":
			d.found.partial = d.found.partial || s.peek() == 't'
			err = s.skip()
		case "data":
			twice = seen.once(memberData)
			err = d.data(result)
		default:
			err = s.skip()
		}
		return errors.Join(twice, err)
	})
	if err != nil || !s.atEnd() {
		return nil, ErrMalformed
	}
	return d.validate(status, result)
}

// validate checks a decoded response, and completes its result.
func (d *decoder) validate(status string, result *Result) (*Result, error) {
	switch status {
	case "error":
		if result.Error == "" {
			result.Error = unexplained
		}
		result.Type, result.Frames = "", nil
		return result, nil
	case "success":
		result.ErrorType, result.Error = "", ""
	default:
		return nil, ErrMalformed
	}
	if !d.matchesType(result) {
		return nil, ErrMalformed
	}
	if err := d.tally.err(); err != nil {
		return nil, err
	}
	if d.matrix != nil && result.Type == Matrix {
		result.Matrix = d.matrix.Matrix()
	}
	if d.found.partial {
		result.Warnings = append(result.Warnings, partial)
	}
	return result, nil
}

// matchesType reports whether the structure of the result matches its type. It makes the frame of a scalar or string.
func (d *decoder) matchesType(result *Result) bool {
	at := []time.Time{time.UnixMilli(d.found.single.at).UTC()}
	switch result.Type {
	case Matrix:
		return d.found.structure == lists || d.found.structure == emptyList
	case Vector:
		return d.found.structure == points || d.found.structure == emptyList
	case Scalar:
		value, err := parseFloat([]byte(d.found.single.text))
		result.Frames = data.Frames{series.NewFrame(data.NewField(series.TimeName, nil, at), []float64{value}, data.Labels{})}
		return d.found.structure == onlySingle && err == nil
	case String:
		result.Frames = data.Frames{data.NewFrame("", data.NewField(series.TimeName, nil, at), data.NewField(series.ValueName, nil, []string{d.found.single.text}))}
		return d.found.structure == onlySingle
	}
	return false
}

func (d *decoder) data(result *Result) error {
	s := &d.scanner
	if s.peek() == 'n' {
		return s.literal("null")
	}
	var seen members
	return s.object(func(key []byte) error {
		var twice, err error
		switch string(key) {
		case "resultType":
			twice = seen.once(memberResultType)
			result.Type, err = s.text()
		case "result":
			twice = seen.once(memberResult)
			err = d.result(result)
		default:
			err = s.skip()
		}
		return errors.Join(twice, err)
	})
}

// result decodes a list of series or a single [time, value].
func (d *decoder) result(result *Result) error {
	s := &d.scanner
	if s.peek() == 'n' {
		d.found.structure = emptyList
		return s.literal("null")
	}
	if err := s.expect('['); err != nil {
		return err
	}
	switch c := s.peek(); {
	case c == ']':
		d.found.structure = emptyList
		return s.expect(']')
	case c != '{':
		d.found.structure = onlySingle
		return d.single()
	}
	s.depth++
	defer func() { s.depth-- }()
	for {
		structure, err := d.series(result)
		if err != nil {
			return err
		}
		if d.found.structure != noStructure && d.found.structure != structure {
			return ErrMalformed
		}
		d.found.structure = structure
		if more, err := s.next(']'); err != nil || !more {
			return err
		}
	}
}

// single decodes [time, value] after its opening bracket.
func (d *decoder) single() error {
	at, text, err := d.scanner.pair()
	if err != nil {
		return err
	}
	d.found.single = single{at, string(text)}
	return d.scanner.expect(']')
}
