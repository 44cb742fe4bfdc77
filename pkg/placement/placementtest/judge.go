package placementtest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/data"
)

// Verdict is what is wrong with the results of a world.
type Verdict struct {
	// Wrong are recommendations of what a capacity, a quota or the state of a node denies, or of what isn't known. Missed are
	// places that have room, and are not recommended.
	Wrong, Missed []string
	// Places is the number of places, Roomy that of those with room.
	Places, Roomy int
}

// Query runs a placement query with these options.
type Query func(options map[string]any) (data.Frames, error)

// Judge runs queries of each format and compares the results with the truth.
func (w *World) Judge(query Query) *Verdict {
	v := &Verdict{}
	ask := func(format string) (data.Frames, error) {
		options := map[string]any{"queryType": "placement", "gpus": w.Wanted, "format": format}
		if w.Types != nil {
			options["types"] = w.Types
		}
		if w.Locations != nil {
			options["locations"] = w.Locations
		}
		return query(options)
	}
	truth := w.truth()
	v.Places = len(truth)
	for _, b := range truth {
		if b.real >= w.Wanted {
			v.Roomy++
		}
	}
	w.judgeTable(v, truth, ask)
	w.judgeNumbers(v, truth, ask)
	w.judgeTotals(v, truth, ask)
	w.judgeAnswer(v, truth, ask)
	return v
}

// truth are the bounds of all places that can be known of: pools by name, others by type and location.
func (w *World) truth() map[string]bounds {
	truth := map[string]bounds{}
	if w.Metrics == Served {
		for _, pool := range w.pools() {
			truth[Cluster+" / "+pool] = w.ofPool(pool)
		}
	}
	if w.Capacities == Served {
		for _, p := range w.places() {
			truth[p.Type+" in "+p.Location] = w.ofPlace(p)
		}
	}
	return truth
}

// isComplete reports whether all services that the query can ask respond.
func (w *World) isComplete() bool {
	return w.Metrics != Fails && w.Capacities == Served && w.QuotaList == Served
}

func (w *World) judgeTable(v *Verdict, truth map[string]bounds, ask func(string) (data.Frames, error)) {
	frames, err := ask("table")
	seen := map[string]bool{}
	if err == nil {
		for _, row := range rows(frames[0]) {
			place := row["node_pool"]
			if place == "" {
				place = row["type"] + " in " + row["location"]
			}
			seen[place] = true
			b, known := truth[place]
			want := "no"
			if known && b.sure >= w.Wanted {
				want = "yes"
			} else if known && b.most >= w.Wanted && row["node_pool"] == "" {
				want = "unknown"
			}
			switch got := row["enough"]; {
			case got == want:
			case got == "yes" || want == "no":
				v.Wrong = append(v.Wrong, fmt.Sprintf("table: %s is %s, not %s: %+v", place, got, want, b))
			default:
				v.Missed = append(v.Missed, fmt.Sprintf("table: %s is %s, not %s: %+v", place, got, want, b))
			}
		}
	}
	for place, b := range truth {
		if !seen[place] && b.sure >= w.Wanted {
			v.Missed = append(v.Missed, fmt.Sprintf("table: %s is missing (%v)", place, err))
		}
	}
}

func (w *World) judgeNumbers(v *Verdict, truth map[string]bounds, ask func(string) (data.Frames, error)) {
	frames, err := ask("number")
	if err != nil {
		if w.isComplete() {
			v.Missed = append(v.Missed, "number: "+err.Error())
		}
		return
	}
	if w.Metrics == Fails || w.Capacities == Fails {
		v.Wrong = append(v.Wrong, "number: no error of a service that fails")
	}
	seen := map[string]bool{}
	for _, frame := range frames {
		for _, field := range frame.Fields {
			place := field.Labels["node_pool"]
			if place == "" {
				place = field.Labels["type"] + " in " + field.Labels["location"]
			}
			seen[place] = true
			got, b := field.At(0).(float64), truth[place]
			if got > float64(max(0, b.sure)) {
				v.Wrong = append(v.Wrong, fmt.Sprintf("number: %s has %g: %+v", place, got, b))
			} else if got < float64(b.sure) {
				v.Missed = append(v.Missed, fmt.Sprintf("number: %s has %g: %+v", place, got, b))
			}
		}
	}
	for place, b := range truth {
		if b.sure > 0 && !seen[place] {
			v.Missed = append(v.Missed, "number: "+place+" is missing")
		}
	}
}

// judgeTotals compares totals with the most that all places of a type can have within each quota alone, and the least: that of
// the best place.
func (w *World) judgeTotals(v *Verdict, truth map[string]bounds, ask func(string) (data.Frames, error)) {
	frames, err := ask("total")
	if err != nil {
		return
	}
	for _, frame := range frames {
		for _, field := range frame.Fields {
			gpu, got := field.Labels["type"], int(field.At(0).(float64))
			own, machines, best := 0, 0, 0
			shared := unbounded
			for place, b := range truth {
				switch {
				case strings.HasPrefix(place, Cluster):
					if w.isOf(place, gpu) {
						own += b.sure
					}
				case strings.HasPrefix(place, gpu+" in "):
					machines += max(0, b.sure)
					best = max(best, b.sure)
				}
			}
			for _, q := range w.Quotas {
				if q.Location == "" && (q.Type == "" || q.Type == gpu) && !q.OfMachines {
					shared = min(shared, q.Left)
				}
			}
			if got > own+min(machines, shared) {
				v.Wrong = append(v.Wrong, fmt.Sprintf("total: %s has %d, and at most %d + %d", gpu, got, own, min(machines, shared)))
			}
			if got < own+best {
				v.Missed = append(v.Missed, fmt.Sprintf("total: %s has %d, and at least %d + %d", gpu, got, own, best))
			}
		}
	}
}

// isOf reports whether a pool counts for a GPU type. That of a pool whose type isn't offered has some of its words.
func (w *World) isOf(place, gpu string) bool {
	return slices.ContainsFunc(w.Nodes, func(n Node) bool {
		if Cluster+" / "+n.Pool != place {
			return false
		}
		return slices.ContainsFunc(gpuTypes, func(known [2]string) bool {
			names := strings.ToLower(known[0] + " " + known[1])
			return known[1] == n.Model && !slices.ContainsFunc(strings.Split(gpu, "-"), func(word string) bool { return !strings.Contains(names, word) })
		})
	})
}

func (w *World) judgeAnswer(v *Verdict, truth map[string]bounds, ask func(string) (data.Frames, error)) {
	hasRoom := false
	for _, b := range truth {
		hasRoom = hasRoom || b.sure >= w.Wanted
	}
	frames, err := ask("answer")
	got := ""
	if err == nil {
		got = rows(frames[0])[0]["answer"]
	}
	switch {
	case strings.HasPrefix(got, "Yes") && !hasRoom:
		v.Wrong = append(v.Wrong, "answer: "+got)
	case !strings.HasPrefix(got, "Yes") && hasRoom:
		v.Missed = append(v.Missed, fmt.Sprintf("answer: %s (%v)", got, err))
	case strings.HasPrefix(got, "No") && (w.Metrics == Fails || w.Capacities == Fails):
		v.Wrong = append(v.Wrong, "answer: a no without all services: "+got)
	}
}

// rows are the texts of a table.
func rows(frame *data.Frame) []map[string]string {
	list := make([]map[string]string, frame.Rows())
	for i := range list {
		list[i] = map[string]string{}
		for _, field := range frame.Fields {
			if value, ok := field.ConcreteAt(i); ok {
				list[i][field.Name] = fmt.Sprint(value)
			}
		}
	}
	return list
}
