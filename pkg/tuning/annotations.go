package tuning

import (
	"cmp"
	"context"
	"fmt"
	"html"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	queries "github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// maxAnnotations is how many are drawn at most: beyond it a panel is covered by them.
const maxAnnotations = 5000

// What annotations can show.
const (
	showJobs          = "jobs"
	showStatusChanges = "statusChanges"
	showCheckpoints   = "checkpoints"
)

// annotation is a span, or a point in time if end is its time.
type annotation struct {
	time, end time.Time
	id        string
	title     string
	text      string
	status    string
	model     string
}

// queryAnnotations is what happened to jobs, to be drawn over other panels: a span a job, a point a status change, a point
// a checkpoint.
//
// The columns are time, timeEnd, title, text, tags, id and color, none of them ever null: Grafana drops every region if the
// first row has no timeEnd. A job that is not over ends now, or with the range; a point ends when it begins. What has no
// time isn't drawn, and a notice says how many; a job of which one end is known is a point there. An id is the same each
// time. Titles and texts are HTML to Grafana, so whatever the gateway says is escaped.
func (c *Client) queryAnnotations(ctx context.Context, q *query) (data.Frames, error) {
	for _, what := range q.Show.Values {
		if what != showJobs && what != showStatusChanges && what != showCheckpoints {
			return nil, &queries.Error{Field: "Show", Message: fmt.Sprintf("%q is not known. Use jobs, statusChanges or checkpoints.", what)}
		}
	}
	if q.Show.All() {
		q.Show.Values = []string{showJobs, showCheckpoints}
	}
	jobs, err := c.jobs(ctx, q)
	if err != nil {
		return nil, err
	}
	q.OnlyInRange = nil
	jobs = q.inRange(jobs)
	all := newest[annotation]{most: maxAnnotations, compare: func(a, b annotation) int {
		return cmp.Or(b.time.Compare(a.time), strings.Compare(b.id, a.id))
	}}
	undated := 0
	add := func(some []annotation, without int) {
		for _, one := range some {
			all.add(one)
		}
		undated += without
	}
	if q.shows(showJobs) {
		for _, job := range jobs {
			add(q.jobSpan(job))
		}
	}
	// Both kinds of detail are read under the same patience.
	patience := c.Patience
	start := time.Now()
	if q.shows(showCheckpoints) {
		found := gather(ctx, c, begun(jobs), patience, c.checkpoints)
		if err := found.complain(q, "checkpoints"); err != nil {
			q.notices.warn("Checkpoints can't be read. %s", reasonOf(err))
		}
		for _, job := range jobs {
			if ctx.Err() != nil {
				return nil, c.explain(ctx.Err())
			}
			for _, row := range checkpointRows(q, job, found.of[job.ID]) {
				add(q.checkpointMark(row))
			}
		}
		patience = max(time.Millisecond, patience-time.Since(start))
	}
	if q.shows(showStatusChanges) {
		asked := slices.DeleteFunc(slices.Clone(jobs), func(j Job) bool { return j.ID == "" })
		found := gather(ctx, c, asked, patience, c.events)
		if err := found.complain(q, "status changes"); err != nil {
			q.notices.warn("Status changes can't be read. %s", reasonOf(err))
		}
		for _, job := range asked {
			if ctx.Err() != nil {
				return nil, c.explain(ctx.Err())
			}
			add(q.changeMarks(job, found.of[job.ID].items))
		}
	}
	if undated > 0 {
		q.notices.warn("%s left out: the gateway has no time for what happened.", counted(undated, "event"))
	}
	if all.total > maxAnnotations {
		q.notices.warn("Only the newest %d of %d annotations are drawn. Choose statuses, models or jobs, or a shorter range.", maxAnnotations, all.total)
	}
	return data.Frames{annotationFrame(all.sorted())}, nil
}

func (q *query) shows(what string) bool { return slices.Contains(q.Show.Values, what) }

// jobSpan is the job's life, as far as it is known, or 1 for a job without any time.
func (q *query) jobSpan(job Job) ([]annotation, int) {
	a := annotation{
		id:    "job:" + job.ID,
		title: "Fine-tuning job " + job.Name(), status: job.Status, model: job.Model,
	}
	facts := []string{cmp.Or(job.Status, "status unknown"), job.Model}
	switch {
	case job.Created != nil && job.Finished != nil && !job.Finished.Before(*job.Created):
		a.time, a.end = *job.Created, *job.Finished
		facts = append(facts, a.end.Sub(a.time).Round(time.Second).String())
	case job.Created != nil && !job.Terminal():
		a.time, a.end = *job.Created, q.end()
		if a.end.Before(a.time) {
			a.end = a.time
		}
		if job.EstimatedFinish != nil {
			facts = append(facts, "estimated to finish "+job.EstimatedFinish.Format("2006-01-02 15:04 MST"))
		}
	case job.Created != nil:
		a.time, a.end = *job.Created, *job.Created
		facts = append(facts, "created; when it ended isn't known")
	case job.Finished != nil:
		a.time, a.end = *job.Finished, *job.Finished
		facts = append(facts, "finished; when it was created isn't known")
	default:
		return nil, 1
	}
	// A point must lie in the range; a span overlaps it by selection.
	if a.time.Equal(a.end) && !q.holds(a.time) {
		return nil, 0
	}
	if job.TrainedTokens != nil {
		facts = append(facts, strconv.FormatFloat(*job.TrainedTokens, 'f', 0, 64)+" tokens")
	}
	a.text = sentence(append(facts, job.Error, job.ID)...)
	return []annotation{a}, 0
}

func (q *query) checkpointMark(row checkpointRow) ([]annotation, int) {
	if row.Created == nil {
		return nil, 1
	}
	if !q.holds(*row.Created) {
		return nil, 0
	}
	title := "Checkpoint"
	step := ""
	if row.Step != nil {
		step = strconv.FormatFloat(*row.Step, 'f', -1, 64)
		title += " at step " + step
	}
	facts := []string{row.job.Name()}
	for _, name := range slices.Sorted(maps.Keys(row.Metrics)) {
		facts = append(facts, name+" "+strconv.FormatFloat(row.Metrics[name], 'g', 4, 64))
	}
	return []annotation{{
		time: *row.Created, end: *row.Created,
		id:    "checkpoint:" + cmp.Or(row.ID, row.job.ID+":"+step+":"+stamp(*row.Created)),
		title: title, text: sentence(append(facts, row.ID)...), status: row.job.Status, model: row.job.Model,
	}}, 0
}

func (q *query) changeMarks(job Job, events []Event) ([]annotation, int) {
	undated := 0
	for _, e := range events {
		if e.Status != "" && e.Created == nil {
			undated++
		}
	}
	var marks []annotation
	for _, change := range changes(job, events) {
		if !q.holds(change.At) {
			continue
		}
		marks = append(marks, annotation{
			time: change.At, end: change.At,
			id:    "status:" + job.ID + ":" + change.Status + ":" + stamp(change.At),
			title: "Fine-tuning job " + job.Name() + ": " + change.Status,
			text:  sentence(change.Status, job.Model, job.ID), status: change.Status, model: job.Model,
		})
	}
	return marks, undated
}

func stamp(at time.Time) string { return strconv.FormatInt(at.UnixMilli(), 10) }

// sentence joins what is known.
func sentence(facts ...string) string {
	return strings.Join(slices.DeleteFunc(facts, func(fact string) bool { return fact == "" }), " · ")
}

// annotationFrame is the annotations, which come newest first, in the order of time.
func annotationFrame(all []annotation) *data.Frame {
	slices.Reverse(all)
	times, ends := make([]time.Time, len(all)), make([]time.Time, len(all))
	var titles, contents, tags, ids, shades = make([]string, len(all)), make([]string, len(all)), make([]string, len(all)), make([]string, len(all)), make([]string, len(all))
	for i, a := range all {
		times[i], ends[i], ids[i], shades[i] = a.time, a.end, a.id, colorOf(a.status)
		titles[i], contents[i] = html.EscapeString(a.title), html.EscapeString(a.text)
		tags[i] = joinTags(a.status, a.model)
	}
	frame := data.NewFrame("Fine-tuning",
		data.NewField("time", nil, times),
		data.NewField("timeEnd", nil, ends),
		data.NewField("title", nil, titles),
		data.NewField("text", nil, contents),
		data.NewField("tags", nil, tags),
		data.NewField("id", nil, ids),
		data.NewField("color", nil, shades),
	)
	frame.Meta = &data.FrameMeta{}
	return frame
}

// joinTags writes tags as Grafana splits them: at commas.
func joinTags(tags ...string) string {
	var written []string
	for _, tag := range tags {
		if tag = strings.TrimSpace(strings.ReplaceAll(tag, ",", " ")); tag != "" {
			written = append(written, tag)
		}
	}
	return strings.Join(written, ",")
}
