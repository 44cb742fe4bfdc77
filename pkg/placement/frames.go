package placement

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// table is a row for each place, the best first. Dashboards depend on the names of the columns.
func table(places []place) *data.Frame {
	gpus := func(name, display string, of func(place) *float64) *data.Field {
		return query.Column(name, places, &data.FieldConfig{DisplayNameFromDS: display}, of)
	}
	text := func(name string, of func(place) string) *data.Field { return query.TextColumn(name, places, nil, of) }
	return query.Table("Placement",
		text("enough", func(p place) string { return string(p.enough) }),
		gpus("gpus", "GPUs possible", func(p place) *float64 { return p.gpus }),
		text("type", func(p place) string { return p.gpu }),
		text("source", func(p place) string { return p.source }),
		text("location", func(p place) string { return p.location }),
		text("node_pool", func(p place) string { return p.nodePool }),
		text("machines", func(p place) string { return p.machines }),
		gpus("capacity", "Capacity", func(p place) *float64 { return p.capacity }),
		gpus("quota_left", "Quota left", func(p place) *float64 { return p.quotaLeft }),
		text("reason", func(p place) string { return strings.Join(p.reasons, "; ") }),
	)
}

// nodeTable is a row for each idle node of the pools, and for each other with free GPUs, with their number. Where it isn't known which are idle, a row
// of all of them has no node, but those of which they are some. Of many nodes, the last ones are one row.
func nodeTable(pools []*pool, typeOf func(*pool) string) *data.Frame {
	type row struct {
		*pool
		node, state string
		gpus        float64
	}
	const mostRows = 200
	var rows []row
	for _, p := range pools {
		var undecided []string
		for _, n := range p.in(stateUndecided) {
			undecided = append(undecided, n.name)
		}
		var idle int
		var gpus float64
		for _, n := range p.usable() {
			if n.state == stateUndecided {
				idle++
				gpus += n.gpus
				continue
			}
			rows = append(rows, row{p, n.name, string(n.state), n.gpus})
		}
		if idle > 0 {
			state := fmt.Sprintf("idle, %d of these, and Slurm does not say which: %s", idle, query.List(undecided))
			rows = append(rows, row{p, "", state, gpus})
		}
		for _, n := range p.partlyFree() {
			rows = append(rows, row{p, n.name, fmt.Sprintf("in use, %g of %g GPUs free", n.free(), n.gpus), n.free()})
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Or(cmp.Compare(b.gpus, a.gpus), strings.Compare(a.node, b.node)) })
	for last := len(rows) - 1; last >= mostRows; last-- {
		rows = append(rows[:last-1], row{&pool{}, "", "idle, or in use and partly free: all other nodes", rows[last-1].gpus + rows[last].gpus})
	}
	text := func(name string, of func(row) string) *data.Field { return query.TextColumn(name, rows, nil, of) }
	return query.Table("Free GPUs",
		text("node", func(r row) string { return r.node }),
		text("state", func(r row) string { return r.state }),
		query.Column("gpus", rows, nil, func(r row) *float64 { return &r.gpus }),
		text("type", func(r row) string { return typeOf(r.pool) }),
		text("location", func(r row) string { return r.location }),
		text("cluster_id", func(r row) string { return r.cluster }),
		text("nodepool_name", func(r row) string { return r.nodePool }),
	)
}

// numbers are of each place, labeled by where it is, or of each type in all places together. Places that may have fewer than is known are
// left out, so that no alert rule takes them for free: with a notice, or an error if nothing is left. A service that failed is an error,
// because alert rules would take what is left out for a platform without room.
func (k *knowledge) numbers(places []place, q *request) (data.Frames, error) {
	if err := k.failure(); err != nil {
		return nil, err
	}
	var unknown []string
	known := slices.DeleteFunc(places, func(p place) bool {
		if p.sure == nil {
			unknown = append(unknown, p.gpu+" in "+p.where())
		}
		return p.sure == nil
	})
	if len(unknown) > 0 {
		missing := &query.Error{Field: "Result", Message: fmt.Sprintf("not all bounds are known, so there is no number of %s.", query.List(unknown))}
		if len(known) == 0 {
			return nil, missing
		}
		q.notices.Warn("%s", missing)
	}
	var fields []*data.Field
	numbers := map[string]*data.Field{}
	for _, p := range known {
		labels := query.KnownLabels(data.Labels{"location": p.location, "node_pool": p.nodePool})
		labels["type"], labels["source"] = p.gpu, p.source
		// A node pool can have several models of one type, which no label tells apart.
		field := numbers[labels.String()]
		if field == nil {
			field = data.NewField("gpus", labels, []float64{0}).SetConfig(&data.FieldConfig{DisplayNameFromDS: p.gpu + " · " + p.where()})
			numbers[labels.String()] = field
			fields = append(fields, field)
		}
		field.Set(0, field.At(0).(float64)+*p.sure)
	}
	return query.Numbers(fields), nil
}

// answer is a sentence. A failure is the error, unless there is room without what failed. Without a service there is no certain no.
func (k *knowledge) answer(places []place, q *request) (data.Frames, error) {
	best := place{enough: tooFew, gpus: new(float64)}
	sentence := "No: none of the chosen GPU types is offered or owned at the chosen locations."
	if len(places) > 0 {
		best = places[0]
		sentence = best.sentence()
	}
	if failure := k.failure(); best.enough != enough && failure != nil {
		return nil, failure
	}
	if best.enough == tooFew && k.unset != "" {
		best.enough, sentence = notKnown, fmt.Sprintf("Perhaps: %s are not considered.", k.unset)
		if len(places) > 0 {
			sentence += " Else " + best.atMost()
		}
	}
	k.explainFailures(q)
	frame := query.Table("Answer",
		data.NewField("answer", nil, []string{sentence}),
		data.NewField("enough", nil, []string{string(best.enough)}),
		data.NewField("gpus", nil, []*float64{best.gpus}).SetConfig(&data.FieldConfig{Mappings: shownAs(sentence)}),
	)
	frame.Meta.PreferredVisualizationPluginID = "stat"
	return data.Frames{frame}, nil
}

// shownAs maps every number, and a missing one, to a text. A stat panel shows fields of numbers only, unless it is told another:
// without the text, the number of GPUs would look like the answer.
func shownAs(text string) data.ValueMappings {
	result := data.ValueMappingResult{Text: text}
	unbounded := data.ConfFloat64(math.NaN()) // null in JSON
	return data.ValueMappings{
		data.RangeValueMapper{From: &unbounded, To: &unbounded, Result: result},
		data.SpecialValueMapper{Match: data.SpecialValueNull, Result: result},
	}
}

// sentence says whether there is room in the best place.
func (p *place) sentence() string {
	reasons := strings.Join(p.reasons, "; ")
	switch {
	case p.enough == notKnown:
		return fmt.Sprintf("Perhaps: %s in %s, but %s.", p.gpu, p.where(), reasons)
	case p.enough == tooFew:
		return "No: " + p.atMost()
	case p.source == sourceMachines:
		return fmt.Sprintf("Yes: %s in %s, as %s.", p.gpu, p.where(), p.machines)
	}
	return fmt.Sprintf("Yes: %s on %s, %s.", p.gpu, p.where(), p.machines)
}

// atMost says what a place has that has too few.
func (p *place) atMost() string {
	return fmt.Sprintf("at most %s, %s in %s (%s).", whole(p.most()), p.gpu, p.where(), strings.Join(p.reasons, "; "))
}
