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

// table is a row for each option, the best first. Dashboards depend on the names of the columns.
func table(options []option) *data.Frame {
	gpus := func(name, display string, of func(option) *float64) *data.Field {
		return query.Column(name, options, &data.FieldConfig{DisplayNameFromDS: display}, of)
	}
	text := func(name string, of func(option) string) *data.Field { return query.TextColumn(name, options, nil, of) }
	return query.Table("Placement",
		text("enough", func(o option) string { return string(o.enough) }),
		gpus("gpus", "GPUs possible", func(o option) *float64 { return o.gpus }),
		text("type", func(o option) string { return o.gpu }),
		text("source", func(o option) string { return o.source }),
		text("location", func(o option) string { return o.location }),
		text("node_pool", func(o option) string { return o.nodePool }),
		text("machines", func(o option) string { return o.machines }),
		gpus("capacity", "Capacity", func(o option) *float64 { return o.capacity }),
		gpus("quota_left", "Quota left", func(o option) *float64 { return o.quotaLeft }),
		text("reason", func(o option) string { return strings.Join(o.reasons, "; ") }),
	)
}

// nodeTable is a row for each idle node of the pools. Of nodes of which it isn't known which are idle there is one row, with the GPUs that
// some of them have without doubt.
func nodeTable(pools []*pool, typeOf func(*pool) string) *data.Frame {
	type row struct {
		*pool
		node, state string
		gpus        float64
	}
	var rows []row
	for _, p := range pools {
		if p.unmatched {
			continue
		}
		for _, n := range p.in(stateIdle) {
			rows = append(rows, row{p, n.name, string(stateIdle), n.gpus})
		}
		perhaps := p.in(stateUndecided)
		if sure := max(0, len(perhaps)-p.excess); sure > 0 {
			var names []string
			for _, n := range perhaps {
				names = append(names, n.name)
			}
			state := fmt.Sprintf("%d of these are idle, and Slurm does not say which: %s", sure, list3(names))
			rows = append(rows, row{p, "", state, gpusOf(perhaps[:sure])})
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Or(cmp.Compare(b.gpus, a.gpus), strings.Compare(a.node, b.node)) })
	text := func(name string, of func(row) string) *data.Field { return query.TextColumn(name, rows, nil, of) }
	return query.Table("Idle nodes",
		text("node", func(r row) string { return r.node }),
		text("state", func(r row) string { return r.state }),
		query.Column("gpus", rows, nil, func(r row) *float64 { return &r.gpus }),
		text("type", func(r row) string { return typeOf(r.pool) }),
		text("location", func(r row) string { return r.location }),
		text("cluster_id", func(r row) string { return r.cluster }),
		text("nodepool_name", func(r row) string { return r.nodePool }),
	)
}

// numberFrames is the number of GPUs of each option, labeled by where it is. Options that may have fewer than is known are left
// out, with a notice, so that no alert rule takes them for free.
func numberFrames(options []option, q *parsedQuery) data.Frames {
	var fields []*data.Field
	var unknown []string
	numbers := map[string]*data.Field{}
	for _, o := range options {
		if o.sure == nil {
			unknown = append(unknown, o.gpu+" in "+o.where())
			continue
		}
		labels := query.KnownLabels(data.Labels{"location": o.location, "node_pool": o.poolLabel})
		labels["type"], labels["source"] = o.gpu, o.source
		// A node pool can have several models of one type, which no label tells apart.
		if known := numbers[labels.String()]; known != nil {
			known.Set(0, known.At(0).(float64)+*o.sure)
			continue
		}
		field := data.NewField("gpus", labels, []float64{*o.sure})
		numbers[labels.String()] = field
		field.Config = &data.FieldConfig{DisplayNameFromDS: o.gpu + " · " + o.where()}
		fields = append(fields, field)
	}
	if len(unknown) > 0 {
		q.notices.Warn("Not all bounds are known, so there is no number of %s.", list3(unknown))
	}
	return query.Numbers(fields)
}

// totalFrames is the number of GPUs of each type in all places together.
func (k *knowledge) totalFrames(options []option) data.Frames {
	var fields []*data.Field
	for _, total := range k.together(options) {
		field := data.NewField("total_gpus", data.Labels{"type": total.gpu}, []float64{total.gpus})
		field.Config = &data.FieldConfig{DisplayNameFromDS: total.gpu}
		fields = append(fields, field)
	}
	return query.Numbers(fields)
}

// answerFrames is a sentence. A failure is the error, unless there is room without what failed.
func (k *knowledge) answerFrames(options []option, q *parsedQuery) (data.Frames, error) {
	verdict, gpus := tooFew, 0.0
	if len(options) > 0 {
		verdict, gpus = options[0].enough, options[0].most()
	}
	if failure := k.failure(); verdict != enough && failure != nil {
		return nil, failure
	}
	k.explainFailures(q)
	sentence := k.sentence(options, q)
	frame := query.Table("Answer",
		data.NewField("answer", nil, []string{sentence}),
		data.NewField("enough", nil, []string{string(verdict)}),
		data.NewField("gpus", nil, []*float64{finite(gpus)}).SetConfig(&data.FieldConfig{Mappings: shownAs(sentence)}),
	)
	frame.Meta.PreferredVisualizationPluginID = "stat"
	return data.Frames{frame}, nil
}

// shownAs maps every number, and a missing one, to a text. A stat panel shows fields of numbers only, unless it is told another:
// without the text, the number of GPUs would look like the answer.
func shownAs(text string) data.ValueMappings {
	result := data.ValueMappingResult{Text: text}
	lowest, highest := data.ConfFloat64(math.Inf(-1)), data.ConfFloat64(math.Inf(1))
	return data.ValueMappings{
		data.RangeValueMapper{From: &lowest, To: &highest, Result: result},
		data.SpecialValueMapper{Match: data.SpecialValueNull, Result: result},
	}
}

// sentence answers whether and where there is room.
func (k *knowledge) sentence(options []option, q *parsedQuery) string {
	if len(options) == 0 {
		return "No: none of the chosen GPU types is offered or owned at the chosen locations."
	}
	best := options[0]
	switch best.enough {
	case enough:
		others := 0
		for _, o := range options[1:] {
			if o.enough == enough {
				others++
			}
		}
		text := fmt.Sprintf("Yes: %s on %s, %s", best.gpu, best.where(), best.machines)
		if best.source == sourceMachines {
			text = fmt.Sprintf("Yes: %s in %s, as %s", best.gpu, best.where(), best.machines)
		}
		if others > 0 {
			text += fmt.Sprintf(". There is room in %s, too", query.Plural(others, "other place"))
		}
		return text + "."
	case notKnown:
		return fmt.Sprintf("Perhaps: %s in %s, but %s.", best.gpu, best.where(), strings.Join(best.reasons, ", and "))
	}
	text := fmt.Sprintf("No: at most %s, %s in %s (%s).", whole(best.most()), best.gpu, best.where(), strings.Join(best.reasons, "; "))
	for _, total := range k.together(options) {
		if total.gpus >= q.wanted && total.places > 1 {
			return text + fmt.Sprintf(" %s has %s in %s together.", total.gpu, whole(total.gpus), query.Plural(total.places, "place"))
		}
	}
	return text
}
