package promapi

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
)

func TestValuesAreWrittenAsPrometheusWritesThem(t *testing.T) {
	metric := labels.FromStrings("__name__", "up", "path", `C:\ "ü" <&>`)
	for name, c := range map[string]struct {
		value parser.Value
		want  string
	}{
		"a matrix": {
			promql.Matrix{{Metric: metric, Floats: []promql.FPoint{{T: 1435781430781, F: 1}, {T: 1435781445000, F: math.NaN()}}}},
			`{"resultType":"matrix","result":[{"metric":{"__name__":"up","path":"C:\\ \"ü\" \u003c\u0026\u003e"},"values":[[1435781430.781,"1"],[1435781445,"NaN"]]}]}`,
		},
		"an empty matrix": {promql.Matrix{}, `{"resultType":"matrix","result":[]}`},
		"a vector": {
			promql.Vector{{T: 5, F: math.Inf(-1)}, {T: -1050, F: 1e-7}},
			`{"resultType":"vector","result":[{"metric":{},"value":[0.005,"-Inf"]},{"metric":{},"value":[-1.050,"1e-07"]}]}`,
		},
		"a scalar": {promql.Scalar{T: 1000, V: 1e21}, `{"resultType":"scalar","result":[1,"1e+21"]}`},
		"a string": {promql.String{T: 1000, V: "it's"}, `{"resultType":"string","result":[1,"it's"]}`},
	} {
		var out bytes.Buffer
		e := &encoder{w: &out}
		e.value(c.value)
		e.flush(0)
		if out.String() != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, out.String(), c.want)
		}
		if !json.Valid(out.Bytes()) {
			t.Errorf("%s: not JSON", name)
		}
	}
}

func TestFloatsKeepTheirValue(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 12: "12", -3: "-3", 0.1: "0.1", 1e15: "1000000000000000", 123456789012345680: "123456789012345680",
		1e20: "100000000000000000000", 2.5e-6: "0.0000025", math.Inf(1): "+Inf", math.MaxFloat64: "1.7976931348623157e+308",
	} {
		if got := string(appendFloat(nil, v)); got != want {
			t.Errorf("%g is written as %s, want %s", v, got, want)
		}
	}
	if got := string(appendFloat(nil, math.Copysign(0, -1))); got != "-0" {
		t.Errorf("negative zero is written as %s", got)
	}
}

func TestALongAnswerIsSentInPieces(t *testing.T) {
	points := make([]promql.FPoint, 20000)
	var out pieces
	e := &encoder{w: &out}
	e.value(promql.Matrix{{Floats: points}})
	e.flush(0)
	if out.writes < 3 || out.longest > flushAt+1024 {
		t.Errorf("%d writes, the longest of %d bytes", out.writes, out.longest)
	}
}

type pieces struct{ writes, longest int }

func (p *pieces) Write(b []byte) (int, error) {
	p.writes++
	p.longest = max(p.longest, len(b))
	return len(b), nil
}
