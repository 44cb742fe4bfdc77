package promjson

import (
	"errors"
	"io"
	"sync"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
)

// ErrMalformed means that the body is not a whole, well-formed answer of a Prometheus query API.
var ErrMalformed = errors.New("malformed Prometheus answer")

// The values of Result.Type, Prometheus' resultType.
const (
	Matrix = "matrix"
	Vector = "vector"
	Scalar = "scalar"
	String = "string"
)

// Result is a decoded answer.
type Result struct {
	// Type is the answer's resultType.
	Type string
	// Frames has a frame for each series, in the order received. A frame has two fields: "Time" (UTC, millisecond
	// precision) and "Value" (float64, NaN and ±Inf kept as they are); the series' labels are on "Value". Series with the same
	// times have fields of their own that share them: name and configure a field as you like, but don't set its times.
	// A vector's or scalar's frame has one row. A string result has a frame whose "Value" is text.
	//
	// A series' native histograms are a frame of type [FrameTypeHeatmapCells] with a row for each bucket and the fields "xMax" (its
	// time), "yMin", "yMax", "count" (float64) and "yLayout" (int8, which of the bounds belong to the bucket), all of which have the
	// series' labels. Where a series has samples besides, their frame follows.
	Frames data.Frames
	// Warnings and Infos are what the query engine has to say about the result. An answer that its sender calls partial, as
	// VictoriaMetrics does, has a warning that says so.
	Warnings, Infos []string
	// ErrorType and Error are set if the engine failed; there are no frames then. Error is never empty then.
	ErrorType, Error string
}

// Decode reads a Prometheus query or query_range answer.
//
// It takes what encoding/json takes for JSON, and is as strict as a reader of measurements should be: a member that is known here
// comes once, in the case and of the type that the API gives it, and so does each label of a series. Members that are not known
// may be anything. A value is whatever strconv.ParseFloat reads; one beyond a float64's range is infinite.
//
// It returns [ErrMalformed] if the body ends early, goes on after its end or has another shape, and the reader's own error
// if reading fails; what was read so far is discarded.
//
// Format: https://prometheus.io/docs/prometheus/latest/querying/api/#expression-query-result-formats
func Decode(r io.Reader) (*Result, error) { return DecodeWithin(r, Limits{}) }

// DecodeWithin is Decode for answers that may be large. One that is over the limits is read to its end and counted, but not
// kept; the error is then a *[LimitError].
func DecodeWithin(r io.Reader, limits Limits) (*Result, error) {
	d := decoders.Get().(*decoder)
	defer d.release()
	d.scanner.reset(r)
	d.tally = newTally(limits)
	result, err := d.answer()
	if d.scanner.readErr != nil {
		return nil, d.scanner.readErr
	}
	return result, err
}

// decoder holds what one decoding needs beside its result. Its slices are scratch memory: data.NewField copies them.
type decoder struct {
	scanner scanner
	times   []time.Time
	values  []float64
	cells   cells
	// before are the times of the last series that had others than the one before it, and grid is their field.
	before []time.Time
	grid   *data.Field
	words  map[string]string // label names and values seen, so that a text is kept once however many series have it
	found  found
	tally  tally
}

// found is what the result turned out to hold, whatever its type says.
type found struct {
	shape   shape
	single  single
	partial bool
}

// single is the one [time, value] of a scalar or string.
type single struct {
	at   int64 // milliseconds since 1970
	text string
}

// shape is the form of a result. The type alone does not settle it, because it may come after the result.
type shape int

const (
	noShape    shape = iota
	emptyList        // a matrix or vector without series
	lists            // series with "values" or "histograms"
	points           // series with "value" or "histogram"
	onlySingle       // [time, value]
)

var decoders = sync.Pool{New: func() any {
	return &decoder{scanner: scanner{buf: make([]byte, bufferSize)}, words: map[string]string{}}
}}

// maxPooled bounds the scratch memory that outlives a decoding, in samples, words, or bytes of a text.
const maxPooled = 1 << 16

func (d *decoder) release() {
	d.scanner.reset(nil)
	d.found, d.grid = found{}, nil
	if len(d.words) > maxPooled {
		d.words = map[string]string{} // clearing a map takes the longer the more it ever held
	}
	clear(d.words)
	if cap(d.times) <= maxPooled && cap(d.before) <= maxPooled && cap(d.cells.xMax) <= maxPooled && cap(d.scanner.long) <= maxPooled {
		decoders.Put(d)
	}
}

func (d *decoder) word(text []byte) string {
	if known, ok := d.words[string(text)]; ok {
		return known
	}
	word := string(text)
	d.words[word] = word
	return word
}

// members remembers which of the known members of an object have been seen, a bit each.
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

// once notes a member, which must not have come before.
func (m *members) once(member members) error {
	if *m&member != 0 {
		return ErrMalformed
	}
	*m |= member
	return nil
}

// partial is the warning of an answer that is not all of the truth.
//
// Source: https://docs.victoriametrics.com/victoriametrics/cluster-victoriametrics/#cluster-availability
const partial = "The platform could not reach all of its data, so this answer is partial."

// unexplained stands for the message of a failure that came without one.
const unexplained = "The query failed, and the answer does not say why."

func (d *decoder) answer() (*Result, error) {
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
	return d.judge(status, result)
}

// judge decides what a whole, well-formed body says.
func (d *decoder) judge(status string, result *Result) (*Result, error) {
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
	if !d.fits(result) {
		return nil, ErrMalformed
	}
	if err := d.tally.err(); err != nil {
		return nil, err
	}
	if d.found.partial {
		result.Warnings = append(result.Warnings, partial)
	}
	return result, nil
}

// fits reports whether the result has the form that its type promises; it makes the frame of a scalar or string.
func (d *decoder) fits(result *Result) bool {
	at := []time.Time{time.UnixMilli(d.found.single.at).UTC()}
	switch result.Type {
	case Matrix:
		return d.found.shape == lists || d.found.shape == emptyList
	case Vector:
		return d.found.shape == points || d.found.shape == emptyList
	case Scalar:
		value, err := parseFloat([]byte(d.found.single.text))
		result.Frames = data.Frames{newFrame(data.NewField(timeName, nil, at), []float64{value}, data.Labels{})}
		return d.found.shape == onlySingle && err == nil
	case String:
		result.Frames = data.Frames{data.NewFrame("", data.NewField(timeName, nil, at), data.NewField(valueName, nil, []string{d.found.single.text}))}
		return d.found.shape == onlySingle
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

// result reads a list of series or a single [time, value].
func (d *decoder) result(result *Result) error {
	s := &d.scanner
	if s.peek() == 'n' {
		d.found.shape = emptyList
		return s.literal("null")
	}
	if err := s.expect('['); err != nil {
		return err
	}
	switch c := s.peek(); {
	case c == ']':
		d.found.shape = emptyList
		return s.expect(']')
	case c != '{':
		d.found.shape = onlySingle
		return d.single()
	}
	s.depth++
	defer func() { s.depth-- }()
	for {
		shape, err := d.series(result)
		if err != nil {
			return err
		}
		if d.found.shape != noShape && d.found.shape != shape {
			return ErrMalformed
		}
		d.found.shape = shape
		if more, err := s.next(']'); err != nil || !more {
			return err
		}
	}
}

// single reads the rest of [time, value] after its bracket.
func (d *decoder) single() error {
	at, text, err := d.scanner.pair()
	if err != nil {
		return err
	}
	d.found.single = single{at, string(text)}
	return d.scanner.expect(']')
}
