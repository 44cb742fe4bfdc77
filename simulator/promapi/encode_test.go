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

func TestEncoder_AsPrometheus(t *testing.T) {
	metric := labels.FromStrings("__name__", "up", "path", `C:\ "ü" <&>`)
	for name, c := range map[string]struct {
		value parser.Value
		want  string
	}{
		"a matrix": {
			promql.Matrix{{Metric: metric, Floats: []promql.FPoint{{T: 1435781430781, F: 1}, {T: 1435781445000, F: math.NaN()}}}},
			`{"resultType":"matrix","result":[{"metric":{"__name__":"up","path":"C:\\ \"ü\" <&>"},"values":[[1435781430.781,"1"],[1435781445,"NaN"]]}]}`,
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
		e := newEncoder(&out)
		e.value(c.value)
		_ = e.Flush()
		if out.String() != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, out.String(), c.want)
		}
		if !json.Valid(out.Bytes()) {
			t.Errorf("%s: not JSON", name)
		}
	}
}

func TestEncoder_WritesInPieces(t *testing.T) {
	points := make([]promql.FPoint, 20000)
	var out pieces
	e := newEncoder(&out)
	e.value(promql.Matrix{{Floats: points}})
	_ = e.Flush()
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
