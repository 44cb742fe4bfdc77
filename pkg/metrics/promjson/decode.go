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

// ErrNativeHistogram means that the answer holds native histograms, which have no place in a time series frame.
var ErrNativeHistogram = errors.New("native histograms are not supported")

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
	// precision) and "Value" (float64, NaN and ±Inf kept as they are); the series' labels are on "Value".
	// A vector's or scalar's frame has one row. A string result has a frame whose "Value" is text.
	Frames data.Frames
	// Warnings and Infos are what the query engine has to say about the result.
	Warnings, Infos []string
	// ErrorType and Error are set if the engine failed; there are no frames then.
	ErrorType, Error string
}

// Decode reads a Prometheus query or query_range answer.
//
// It returns [ErrMalformed] if the body ends early, goes on after its end or has another shape, and the reader's own
// error if reading fails; what was read so far is discarded.
//
// Format: https://prometheus.io/docs/prometheus/latest/querying/api/#expression-query-result-formats
func Decode(r io.Reader) (*Result, error) {
	d := decoders.Get().(*decoder)
	defer d.release()
	d.scanner.reset(r)
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
	words   map[string]string // label names and values seen, so that a text is kept once however many series have it
}

var decoders = sync.Pool{New: func() any {
	return &decoder{scanner: scanner{buf: make([]byte, bufferSize)}, words: map[string]string{}}
}}

// maxPooled bounds the scratch memory that outlives a decoding, in samples or words.
const maxPooled = 1 << 16

func (d *decoder) release() {
	d.scanner.reset(nil)
	clear(d.words)
	if cap(d.times) <= maxPooled {
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

func (d *decoder) answer() (*Result, error) {
	s := &d.scanner
	result := &Result{}
	var status string
	err := s.object(func(key []byte) error {
		var err error
		switch string(key) {
		case "status":
			status, err = s.text()
		case "errorType":
			result.ErrorType, err = s.text()
		case "error":
			result.Error, err = s.text()
		case "warnings":
			result.Warnings, err = s.texts()
		case "infos":
			result.Infos, err = s.texts()
		case "data":
			err = d.data(result)
		default:
			err = s.skip()
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if !s.atEnd() {
		return nil, ErrMalformed
	}
	switch {
	case status == "error":
		result.Frames = nil
		return result, nil
	case status != "success" || result.Type == "":
		return nil, ErrMalformed
	}
	return result, nil
}

func (d *decoder) data(result *Result) error {
	s := &d.scanner
	if s.peek() == 'n' {
		return s.literal("null")
	}
	// The result's own shape tells its type, so the order of resultType and result does not matter.
	var shape string
	err := s.object(func(key []byte) error {
		var err error
		switch string(key) {
		case "resultType":
			result.Type, err = s.text()
		case "result":
			result.Frames = nil
			shape, err = d.result(result)
		default:
			err = s.skip()
		}
		return err
	})
	if err != nil {
		return err
	}
	switch result.Type {
	case Matrix, Vector:
		if shape != result.Type && shape != emptyList {
			return ErrMalformed
		}
	case Scalar:
		if shape != Scalar {
			return ErrMalformed
		}
	case String:
		if shape != Scalar {
			return ErrMalformed
		}
	default:
		return ErrMalformed
	}
	return nil
}

// emptyList is the shape of a matrix or vector without series.
const emptyList = "empty"

// result reads a list of series or a single [time, value] and tells which it was.
func (d *decoder) result(result *Result) (string, error) {
	s := &d.scanner
	if s.peek() == 'n' {
		return emptyList, s.literal("null")
	}
	if err := s.expect('['); err != nil {
		return "", err
	}
	switch c := s.peek(); {
	case c == ']':
		return emptyList, s.expect(']')
	case c != '{':
		return Scalar, d.single(result)
	}
	shape := emptyList
	for {
		frame, found, err := d.series()
		if err != nil {
			return "", err
		}
		if shape != emptyList && shape != found {
			return "", ErrMalformed
		}
		shape = found
		result.Frames = append(result.Frames, frame)
		more, err := s.next(']')
		if err != nil || !more {
			return shape, err
		}
	}
}

// single reads the rest of [time, value] after its bracket: a scalar, or a string where it isn't a number.
func (d *decoder) single(result *Result) error {
	s := &d.scanner
	at, err := s.timestamp()
	if err != nil {
		return err
	}
	if err := s.expect(','); err != nil {
		return err
	}
	value, err := s.text()
	if err != nil {
		return err
	}
	if err := s.expect(']'); err != nil {
		return err
	}
	times := []time.Time{time.UnixMilli(at).UTC()}
	if number, err := parseFloat([]byte(value)); err == nil && result.Type != String {
		result.Frames = data.Frames{newFrame(times, []float64{number}, data.Labels{})}
		return nil
	}
	if result.Type == Scalar {
		return ErrMalformed
	}
	result.Frames = data.Frames{data.NewFrame("", data.NewField(timeName, nil, times), data.NewField(valueName, nil, []string{value}))}
	return nil
}

const (
	timeName  = "Time"
	valueName = "Value"
)

// series reads one {"metric": {…}, "values": [[t, v], …]} or {"metric": {…}, "value": [t, v]}.
func (d *decoder) series() (*data.Frame, string, error) {
	s := &d.scanner
	labels := data.Labels{}
	shape := ""
	d.times, d.values = d.times[:0], d.values[:0]
	err := s.object(func(key []byte) error {
		switch string(key) {
		case "metric":
			return d.labels(labels)
		case "values":
			shape = Matrix
			return d.samples()
		case "value":
			shape = Vector
			return d.sample()
		case "histogram", "histograms":
			return ErrNativeHistogram
		}
		return s.skip()
	})
	if err == nil && shape == "" {
		err = ErrMalformed
	}
	if err != nil {
		return nil, "", err
	}
	return newFrame(d.times, d.values, labels), shape, nil
}

func newFrame(times []time.Time, values []float64, labels data.Labels) *data.Frame {
	return data.NewFrame("", data.NewField(timeName, nil, times), data.NewField(valueName, labels, values))
}

func (d *decoder) labels(labels data.Labels) error {
	s := &d.scanner
	return s.object(func(key []byte) error {
		name := d.word(key)
		value, err := s.string()
		if err == nil {
			labels[name] = d.word(value)
		}
		return err
	})
}

func (d *decoder) samples() error {
	s := &d.scanner
	if err := s.expect('['); err != nil {
		return err
	}
	if s.peek() == ']' {
		return s.expect(']')
	}
	for {
		if err := d.sample(); err != nil {
			return err
		}
		if more, err := s.next(']'); err != nil || !more {
			return err
		}
	}
}

// sample reads [1435781430.781,"0.5"].
func (d *decoder) sample() error {
	s := &d.scanner
	if at, value, length := plainSample(s.buffered()); length > 0 {
		s.start += length
		d.keep(at, value)
		return nil
	}
	if err := s.expect('['); err != nil {
		return err
	}
	at, err := s.timestamp()
	if err != nil {
		return err
	}
	if err := s.expect(','); err != nil {
		return err
	}
	text, err := s.string()
	if err != nil {
		return err
	}
	value, err := parseFloat(text)
	if err != nil {
		return err
	}
	if err := s.expect(']'); err != nil {
		return err
	}
	d.keep(at, value)
	return nil
}

func (d *decoder) keep(at int64, value float64) {
	d.times = append(d.times, time.UnixMilli(at).UTC())
	d.values = append(d.values, value)
}
