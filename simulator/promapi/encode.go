package promapi

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
)

// flushAt is how much an answer grows before it is sent on, in bytes.
const flushAt = 64 << 10

// encoder writes an answer in pieces, so that it never lies in memory as a whole.
// Numbers, times and the order of members are as Prometheus writes them.
type encoder struct {
	w   io.Writer
	buf []byte
	err error
}

func (e *encoder) flush(at int) {
	if len(e.buf) <= at || e.err != nil {
		return
	}
	_, e.err = e.w.Write(e.buf)
	e.buf = e.buf[:0]
}

func (e *encoder) raw(s string) { e.buf = append(e.buf, s...) }

// value writes the data member of a query's answer.
func (e *encoder) value(v parser.Value) {
	e.raw(`{"resultType":"`)
	e.raw(string(v.Type()))
	e.raw(`","result":`)
	switch v := v.(type) {
	case promql.Matrix:
		e.matrix(v)
	case promql.Vector:
		e.vector(v)
	case promql.Scalar:
		e.point(v.T, v.V)
	case promql.String:
		e.raw("[")
		e.buf = appendTime(e.buf, v.T)
		e.raw(",")
		e.buf = appendString(e.buf, v.V)
		e.raw("]")
	default:
		e.err = fmt.Errorf("promapi: no encoding for a result of type %T", v)
	}
	e.raw("}")
}

func (e *encoder) matrix(m promql.Matrix) {
	e.raw("[")
	for i := range m {
		if i > 0 {
			e.raw(",")
		}
		e.metric(m[i].Metric)
		e.raw(`,"values":[`)
		for j, p := range m[i].Floats {
			if j > 0 {
				e.raw(",")
			}
			e.point(p.T, p.F)
			e.flush(flushAt)
		}
		e.raw("]}")
	}
	e.raw("]")
}

func (e *encoder) vector(v promql.Vector) {
	e.raw("[")
	for i := range v {
		if i > 0 {
			e.raw(",")
		}
		e.metric(v[i].Metric)
		e.raw(`,"value":`)
		e.point(v[i].T, v[i].F)
		e.raw("}")
		e.flush(flushAt)
	}
	e.raw("]")
}

// metric opens a series and writes its labels.
func (e *encoder) metric(ls labels.Labels) {
	e.raw(`{"metric":{`)
	first := true
	ls.Range(func(l labels.Label) {
		if !first {
			e.raw(",")
		}
		first = false
		e.buf = appendString(e.buf, l.Name)
		e.raw(":")
		e.buf = appendString(e.buf, l.Value)
	})
	e.raw("}")
}

// point writes [seconds, "value"].
func (e *encoder) point(t int64, v float64) {
	e.raw("[")
	e.buf = appendTime(e.buf, t)
	e.raw(`,"`)
	e.buf = appendFloat(e.buf, v)
	e.raw(`"]`)
}

func (e *encoder) strings(list []string) {
	e.raw("[")
	for i, s := range list {
		if i > 0 {
			e.raw(",")
		}
		e.buf = appendString(e.buf, s)
		e.flush(flushAt)
	}
	e.raw("]")
}

// appendTime writes milliseconds as seconds with up to three decimals.
func appendTime(b []byte, ms int64) []byte {
	if ms < 0 {
		b = append(b, '-')
		ms = -ms
	}
	b = strconv.AppendInt(b, ms/1000, 10)
	if part := ms % 1000; part != 0 {
		b = append(b, '.', byte('0'+part/100), byte('0'+part/10%10), byte('0'+part%10))
	}
	return b
}

func appendFloat(b []byte, v float64) []byte {
	if whole := int64(v); float64(whole) == v && whole != 0 && whole > -1e15 && whole < 1e15 {
		return strconv.AppendInt(b, whole, 10)
	}
	format := byte('f')
	if abs := math.Abs(v); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(b, v, format, -1, 64)
}

// appendString writes a JSON string.
func appendString(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' || c >= utf8.RuneSelf {
			quoted, _ := json.Marshal(s) // a string always has an encoding
			return append(b, quoted...)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}
