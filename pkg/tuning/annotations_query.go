package tuning

import (
	"cmp"
	"context"
	"fmt"
	"html"
	"slices"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	queries "github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// maxAnnotations is how many are drawn at most: beyond it a panel is covered by them.
const maxAnnotations = 5000

// maxLosses is for how many jobs checkpoints are requested only to say the job's loss: each is a request to the gateway.
const maxLosses = 50

// What annotations can show.
const (
	showJobs          = "jobs"
	showStatusChanges = "statusChanges"
	showCheckpoints   = "checkpoints"
)

// How jobs are drawn.
const (
	// drawAutomatic draws spans where few jobs overlap and marks elsewhere, and leaves out what would cover a panel.
	drawAutomatic = "automatic"
	// drawMarks draws a point annotation where a job began and one where it ended.
	drawMarks = "marks"
	// drawSpans draws a region annotation from the creation of a job to its end.
	drawSpans = "spans"
)

// annotation is a region, or a point in time if end is its time.
type annotation struct {
	time, end time.Time
	id        string
	title     string
	text      string
	status    string
	model     string
	// color is a named color of Grafana.
	color string
	// links are HTML.
	links string
	// jobID is the job that it is about.
	jobID string
	rank  rankOfAnnotation
}

// rankOfAnnotation is the order in which annotations are kept where there is no room for all.
type rankOfAnnotation int

const (
	rankFailure rankOfAnnotation = iota
	rankChange
	rankStart
	rankCheckpoint
)

// queryAnnotations is what happened to jobs, to be drawn over other panels: a region for each job or a point for its start
// and one for its end, a point for each status change and for each checkpoint.
//
// The columns are time, timeEnd, title, text, tags, id and color, none of them ever null: Grafana drops every region if the
// first row has no timeEnd. A job that is not over ends now, or with the range; a point ends when it begins. What has no
// time isn't drawn, and a notice says how many; a job of which one end is known is a point there. An id is the same each
// time. Titles and texts are HTML to Grafana, so whatever the gateway says is escaped.
func (c *Client) queryAnnotations(ctx context.Context, q *query) (data.Frames, error) {
	if err := q.readAnnotationOptions(); err != nil {
		return nil, err
	}
	jobs, err := c.jobs(ctx, q)
	if err != nil {
		return nil, err
	}
	q.OnlyInRange = nil
	jobs = q.inRange(jobs)
	all := newest[annotation]{most: maxAnnotations, compare: func(a, b annotation) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), b.time.Compare(a.time), strings.Compare(b.id, a.id))
	}}
	undated := 0
	add := func(some []annotation, without int) {
		for _, one := range some {
			all.add(one)
		}
		undated += without
	}
	asMarks := q.Draw == drawMarks || q.Draw == drawAutomatic && q.crowded(jobs)
	// Both kinds of detail are read under the same patience. The loss of a job is that of its last checkpoint.
	patience := c.Patience
	start := time.Now()
	checkpoints := 0
	if q.shows(showJobs) || q.shows(showCheckpoints) {
		asked := begun(jobs)
		if !q.shows(showCheckpoints) && len(asked) > maxLosses {
			asked = asked[:maxLosses]
		}
		found := gather(ctx, c, asked, patience, c.checkpoints)
		if q.shows(showCheckpoints) {
			if err := found.complain(q, "checkpoints"); err != nil {
				q.notices.warn("Checkpoints can't be read. %s", reasonOf(err))
			}
		}
		for _, job := range jobs {
			if ctx.Err() != nil {
				return nil, c.explain(ctx.Err())
			}
			rows, links := checkpointRows(q, job, found.of[job.ID]), c.Links.html(job, q.end())
			if q.shows(showJobs) {
				add(q.jobAnnotations(job, lastLoss(rows), links, asMarks))
			}
			if q.shows(showCheckpoints) {
				before := all.total
				for _, row := range rows {
					add(q.checkpointMark(row, links))
				}
				checkpoints += all.total - before
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
			marks, without := q.changeMarks(job, found.of[job.ID].items, c.Links.html(job, q.end()))
			if q.shows(showJobs) && asMarks && job.Finished != nil {
				// The end of the job has a mark already.
				marks = slices.DeleteFunc(marks, func(a annotation) bool { return a.time.Equal(*job.Finished) })
			}
			add(marks, without)
		}
	}
	if undated > 0 {
		q.notices.warn("%s left out: the gateway has no time for what happened.", counted(undated, "event"))
	}
	drawn := all.sorted()
	switch {
	case q.Draw == drawAutomatic:
		drawn = q.thinned(drawn, all.total-checkpoints, checkpoints)
	case all.total > maxAnnotations:
		q.notices.warn("Only %d of %d annotations are drawn, failures and the newest first. Choose statuses, models or jobs, or a shorter range.", maxAnnotations, all.total)
	}
	return data.Frames{annotationFrame(drawn)}, nil
}

// readAnnotationOptions fills in what the query leaves open.
func (q *query) readAnnotationOptions() error {
	for _, what := range q.Show.Values {
		if what != showJobs && what != showStatusChanges && what != showCheckpoints {
			return &queries.Error{Field: "Show", Message: fmt.Sprintf("%q is not known. Use jobs, statusChanges or checkpoints.", what)}
		}
	}
	if q.Show.All() {
		q.Show.Values = []string{showJobs, showCheckpoints}
	}
	q.Draw = cmp.Or(q.Draw, drawAutomatic)
	if q.Draw != drawAutomatic && q.Draw != drawMarks && q.Draw != drawSpans {
		return &queries.Error{Field: "Draw", Message: fmt.Sprintf("%q is not known. Use automatic, marks or spans.", q.Draw)}
	}
	return nil
}

func (q *query) shows(what string) bool { return slices.Contains(q.Show.Values, what) }

// annotationFrame is the annotations in the order of time.
func annotationFrame(all []annotation) *data.Frame {
	slices.SortFunc(all, func(a, b annotation) int { return cmp.Or(a.time.Compare(b.time), strings.Compare(a.id, b.id)) })
	times, ends := make([]time.Time, len(all)), make([]time.Time, len(all))
	var titles, contents, tags, ids, shades = make([]string, len(all)), make([]string, len(all)), make([]string, len(all)), make([]string, len(all)), make([]string, len(all))
	for i, a := range all {
		times[i], ends[i], ids[i], shades[i] = a.time, a.end, a.id, a.color
		titles[i], contents[i] = html.EscapeString(a.title), html.EscapeString(a.text)
		if a.links != "" {
			contents[i] += " <br />" + a.links
		}
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
