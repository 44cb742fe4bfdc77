package placement

import (
	"fmt"
	"strings"
	"time"
)

// applicationXIDs are the errors that an application causes. The GPU is well after them.
//
// Source: https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html
var applicationXIDs = []float64{11, 13, 25, 31, 43, 45, 69, 137}

// faults are for how long a GPU has not worked, by how long ago its code came: until it works again, is reset, or six hours are over, because DCGM
// keeps a code for weeks. A job may need some minutes to end.
var faults = []struct{ age, idle time.Duration }{{15 * time.Minute, 0}, {time.Hour, 15 * time.Minute}, {6 * time.Hour, time.Hour}}

// broken are the GPUs that have had a code of the hardware which they did not have before, and have neither been reset nor worked since. After such a
// code that of the job that it ends may follow. An exporter may have codes only where there are any: one that is the first of a GPU that was there before
// is news, and one that is there since the GPU is may be of any time.
func (g gpuExpr) broken() string {
	code := func(ago string) string { return g.each(g.newest(g.of(xidErrors), ago)) }
	var all []string
	for _, f := range faults {
		highest := g.each(fmt.Sprintf(`max_over_time(%[1]s[%[3]s]) or label_replace(max_over_time(%[2]s[%[3]s]), "name", "new", "", "")`,
			g.of(oldXIDErrors), g.of(newXIDErrors), duration(f.age)))
		least := strings.ReplaceAll(highest, "max_over_time", "min_over_time") // of a GPU that was not there before
		ago := " offset " + duration(f.age)
		before := fmt.Sprintf("(%s or 0 * %s or %s)", code(ago), g.memory(ago), least)
		one := fmt.Sprintf("((%s or %s) != %s)", ofHardware(code("")), ofHardware(highest), before)
		if f.idle > 0 {
			one = fmt.Sprintf("(%s unless %s > 0)", one, g.use(f.idle))
		}
		all = append(all, one)
	}
	return fmt.Sprintf("(%s) and (%s)", strings.Join(all, " or "), g.few(code("")+" > 0"))
}

// few are the GPUs of an expression. VictoriaMetrics evaluates the right side of "and" first, and then reads on the left only what has its labels:
// those of a comparison are of all GPUs, those of topk of few, and if there are none all is read, but for the one that no GPU is.
func (g gpuExpr) few(expr string) string {
	return "topk(1e6, " + expr + `) or on () absent(n{gpu=";"})`
}

// ofHardware are codes that no application causes.
func ofHardware(codes string) string {
	codes += " > 0"
	for _, xid := range applicationXIDs {
		codes += fmt.Sprintf(" != %g", xid)
	}
	return codes
}
