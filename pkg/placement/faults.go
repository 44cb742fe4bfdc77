package placement

import (
	"context"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/gpulabels"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
)

// applicationXIDs are the errors that an application causes. The GPU is well after them.
//
// Source: https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html
var applicationXIDs = []float64{11, 13, 25, 31, 43, 45, 69, 137}

// faultLasts is how long a code makes a GPU faulty that has not worked since: DCGM keeps a code for weeks.
const faultLasts = 6 * time.Hour

// faults are for how long a GPU has not worked, by how long ago its code came: until it works again, is reset, or six hours are over. A job may
// need some minutes to end.
var faults = []struct{ age, idle time.Duration }{{15 * time.Minute, 0}, {time.Hour, 15 * time.Minute}, {faultLasts, time.Hour}}

// faultStep is the distance of the points at which codes are looked at.
const faultStep = time.Minute

// maxNames bounds the names of nodes in a query about their GPUs, in bytes.
const maxNames = 4000

// suspect has the GPUs with a code of the hardware, at present or within the time that faults last. Whether it is news, the course of codes says.
func (g gpuExpr) suspect() string {
	highest := g.each(fmt.Sprintf(`max_over_time(%[1]s[%[3]s]) or label_replace(max_over_time(%[2]s[%[3]s]), "name", "new", "", "")`,
		g.of(oldXIDErrors), g.of(newXIDErrors), duration(faultLasts)))
	return ofHardware(g.each(g.newest(g.of(xidErrors), ""))) + " or " + ofHardware(highest)
}

// ofHardware are codes that no application causes.
func ofHardware(codes string) string {
	codes += " > 0"
	for _, xid := range applicationXIDs {
		codes += fmt.Sprintf(" != %g", xid)
	}
	return codes
}

func isOfHardware(code float64) bool { return code > 0 && !slices.Contains(applicationXIDs, code) }

// course is what a GPU did at each faultStep of the time that faults last, until now: its code, its highest utilization since the step before, and its
// memory in use, each NaN if it did not report it.
type course struct{ code, use, memory []float64 }

// faulty finds the suspects that stopped working with a code that came within the time that faults last.
func (c *Client) faulty(ctx context.Context, suspects []data.Labels, interval time.Duration, now time.Time) ([]data.Labels, error) {
	names := map[string][]string{} // by the label that has them
	for _, labels := range suspects {
		label := "instance"
		if i := slices.IndexFunc(gpulabels.NodeLabels(), func(name string) bool { return labels[name] != "" }); i >= 0 {
			label = gpulabels.NodeLabels()[i]
		}
		names[label] = append(names[label], regexp.QuoteMeta(labels[label]))
	}
	courses, of := map[string]*course{}, namedGPUs(interval)
	for label, all := range names {
		slices.Sort(all)
		for all = slices.Compact(all); len(all) > 0; {
			n, length := 0, 0
			for n < len(all) && (n == 0 || length+len(all[n]) < maxNames) {
				length += len(all[n]) + 1
				n++
			}
			of.matchers = fmt.Sprintf("%s=~%q", label, strings.Join(all[:n], "|"))
			all = all[n:]
			expr := strings.Join([]string{
				part("code", of.each(of.newest(of.of(xidErrors), ""))), part("use", of.use(max(faultStep, interval))), part("memory", of.memory("")),
			}, " or ")
			result, err := c.Metrics.Evaluate(ctx, promql.New(expr).Over(now.Add(-faultLasts), now, faultStep))
			if err != nil {
				return nil, err
			}
			addCourses(courses, result.Matrix.Series, now)
		}
	}
	return slices.DeleteFunc(suspects, func(labels data.Labels) bool {
		found := courses[gpuOf(labels)]
		return found == nil || !found.isFaulty()
	}), nil
}

// gpuOf are the labels of a GPU as text.
func gpuOf(labels data.Labels) string {
	of := maps.Clone(labels)
	delete(of, partLabel)
	return of.String()
}

func addCourses(courses map[string]*course, found []series.Series, now time.Time) {
	for _, one := range found {
		gpu := gpuOf(one.Labels)
		if courses[gpu] == nil {
			none := slices.Repeat([]float64{math.NaN()}, int(faultLasts/faultStep)+1)
			courses[gpu] = &course{none, slices.Clone(none), slices.Clone(none)}
		}
		to := map[string][]float64{"code": courses[gpu].code, "use": courses[gpu].use, "memory": courses[gpu].memory}[one.Labels[partLabel]]
		for i, at := range one.Times {
			if ago := int(now.Sub(time.UnixMilli(at)) / faultStep); ago >= 0 && ago < len(to) {
				to[len(to)-1-ago] = one.Values[i]
			}
		}
	}
}

// isFaulty reports whether a code of the hardware came, and the GPU has neither been reset nor worked since. After such a code that of the job that
// it ends may follow. An exporter may have codes only where there are any: one that is the first of a GPU that was there before is news, and one that is
// there since the GPU is may be of any time.
func (c *course) isFaulty() bool {
	last, came, wasThere := math.NaN(), -1, false
	for i, code := range c.code {
		switch {
		case math.IsNaN(code):
			wasThere = wasThere || !math.IsNaN(c.memory[i])
			continue
		case code == 0:
			came = -1
		case code != last && isOfHardware(code) && (wasThere || !math.IsNaN(last)):
			came = i
		}
		last, wasThere = code, true
	}
	if came < 0 || math.IsNaN(c.code[len(c.code)-1]) {
		return false
	}
	age := time.Duration(len(c.code)-1-came) * faultStep
	for _, f := range faults {
		if age <= f.age {
			since := len(c.use) - int(f.idle/faultStep)
			return !slices.ContainsFunc(c.use[since:], func(use float64) bool { return use > 0 })
		}
	}
	return false
}
