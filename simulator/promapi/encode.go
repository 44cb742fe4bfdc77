package promapi

import (
	"fmt"
	"io"

	jsoniter "github.com/json-iterator/go"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/util/jsonutil"
)

// flushAt is how much of a response is written at a time, in bytes.
const flushAt = 64 << 10

// encoder writes a response in pieces, so that it is never in memory as a whole. Numbers, times and the order of members are as
// Prometheus writes them.
type encoder struct{ *jsoniter.Stream }

func newEncoder(w io.Writer) *encoder {
	return &encoder{jsoniter.NewStream(jsoniter.ConfigDefault, w, flushAt+4096)}
}

// value writes the data member of a query's response.
func (e *encoder) value(v parser.Value) {
	e.WriteRaw(`{"resultType":"` + string(v.Type()) + `","result":`)
	switch v := v.(type) {
	case promql.Matrix:
		each(e, v, func(s promql.Series) {
			e.metric(s.Metric)
			e.WriteRaw(`,"values":`)
			each(e, s.Floats, func(p promql.FPoint) { e.point(p.T, p.F) })
			e.WriteRaw("}")
		})
	case promql.Vector:
		each(e, v, func(s promql.Sample) {
			e.metric(s.Metric)
			e.WriteRaw(`,"value":`)
			e.point(s.T, s.F)
			e.WriteRaw("}")
		})
	case promql.Scalar:
		e.point(v.T, v.V)
	case promql.String:
		e.WriteRaw("[")
		jsonutil.MarshalTimestamp(v.T, e.Stream)
		e.WriteMore()
		e.WriteString(v.V)
		e.WriteRaw("]")
	default:
		e.Error = fmt.Errorf("promapi: no encoding for a result of type %T", v)
	}
	e.WriteRaw("}")
}

// each writes a list.
func each[T any](e *encoder, list []T, write func(T)) {
	e.WriteRaw("[")
	for i, one := range list {
		if i > 0 {
			e.WriteMore()
		}
		write(one)
		if e.Buffered() > flushAt {
			_ = e.Flush() // the client may have gone
		}
	}
	e.WriteRaw("]")
}

func (e *encoder) strings(list []string) { each(e, list, e.WriteString) }

// list writes a member with a list, unless it is empty.
func (e *encoder) list(name string, list []string) {
	if len(list) > 0 {
		e.WriteRaw(`,"` + name + `":`)
		e.strings(list)
	}
}

// metric opens a series and writes its labels.
func (e *encoder) metric(ls labels.Labels) {
	e.WriteRaw(`{"metric":{`)
	first := true
	ls.Range(func(l labels.Label) {
		if !first {
			e.WriteMore()
		}
		first = false
		e.WriteObjectField(l.Name)
		e.WriteString(l.Value)
	})
	e.WriteRaw("}")
}

// point writes [seconds, "value"].
func (e *encoder) point(t int64, v float64) {
	e.WriteRaw("[")
	jsonutil.MarshalTimestamp(t, e.Stream)
	e.WriteMore()
	jsonutil.MarshalFloat(v, e.Stream)
	e.WriteRaw("]")
}
