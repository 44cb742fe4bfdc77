package tuning

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// maxAnnotations bounds the annotations of a query. More of them cover a panel.
const maxAnnotations = 5000

// maxLosses bounds the jobs whose checkpoints are requested only for the loss in the job's text, because each is a request.
const maxLosses = 50

// The values of the option show.
const (
	showJobs          = "jobs"
	showStatusChanges = "statusChanges"
	showCheckpoints   = "checkpoints"
)

// The values of the option draw.
const (
	// drawAutomatic draws regions if few jobs overlap and points otherwise, and limits their density.
	drawAutomatic = "automatic"
	// drawPoints draws point annotations at the creation and at the end of a job.
	drawPoints = "points"
	// drawRegions draws a region annotation from the creation of a job to its end.
	drawRegions = "regions"
)

// annotation is an annotation of a job.
type annotation struct {
	query.Annotation
	// jobID is the id of the job.
	jobID string
	rank  rankOfAnnotation
}

// rankOfAnnotation is the priority of an annotation if there are too many; the lowest comes first.
type rankOfAnnotation int

const (
	rankFailure rankOfAnnotation = iota
	rankChange
	rankStart
	rankCheckpoint
)

// queryAnnotations is annotations of jobs: a region for each job, or a point for its start and one for its end, and a point
// for each status change and for each checkpoint.
//
// The columns are time, timeEnd, title, text, tags, id and color, all without nulls: Grafana drops every region if the first
// row has no timeEnd. A region of a job that has not ended ends now or with the range; timeEnd of a point is its time. A job
// with one known time is a point there. A notice has the number of events without a time. An id is stable between refreshes.
// Titles and texts are HTML in Grafana, so all text of the gateway is escaped.
func (c *Client) queryAnnotations(ctx context.Context, q *parsedQuery) (data.Frames, error) {
	if err := q.readAnnotationOptions(); err != nil {
		return nil, err
	}
	jobs, err := c.jobs(ctx, q)
	if err != nil {
		return nil, err
	}
	q.OnlyInRange = nil
	jobs = q.inRange(jobs)
	all := newest[annotation]{limit: maxAnnotations, compare: byRank}
	undated := 0
	add := func(some []annotation, without int) {
		for _, one := range some {
			all.add(one)
		}
		undated += without
	}
	asPoints := q.Draw == drawPoints || q.Draw == drawAutomatic && q.tooManyRegions(jobs)
	// checkpoints is the number of checkpoints, and more is true if there may be others.
	checkpoints, more := 0, false
	if q.shows(showJobs) || q.shows(showCheckpoints) {
		var found jobDetails[detailList[Checkpoint]]
		found, more = c.drawnCheckpoints(ctx, q, jobs, asPoints)
		if q.shows(showCheckpoints) {
			if err := found.addNotices(q); err != nil {
				q.notices.Warn("Checkpoints can't be read. %s", messageOf(err))
			}
		}
		for _, job := range jobs {
			if ctx.Err() != nil {
				return nil, c.explain(ctx.Err())
			}
			rows, links := checkpointRows(q, job, found.byJob[job.ID]), c.Links.html(job, q.end())
			if q.shows(showJobs) {
				add(q.jobAnnotations(job, lastLoss(rows), links, asPoints))
			}
			if q.shows(showCheckpoints) {
				before := all.total
				for _, row := range rows {
					add(q.checkpointPoint(row, links))
				}
				checkpoints += all.total - before
			}
		}
	}
	if q.shows(showStatusChanges) {
		requested := slices.DeleteFunc(slices.Clone(jobs), func(j Job) bool { return j.ID == "" })
		visible, others := q.visibleFirst(requested, asPoints)
		found := fetchDetails(ctx, c, q, append(visible, others...), "status changes", prompt, (*reader).events)
		if err := found.addNotices(q); err != nil {
			q.notices.Warn("Status changes can't be read. %s", messageOf(err))
		}
		for _, job := range requested {
			if ctx.Err() != nil {
				return nil, c.explain(ctx.Err())
			}
			points, without := q.statusChangePoints(job, found.byJob[job.ID].items, c.Links.html(job, q.end()))
			if q.shows(showJobs) && asPoints && job.Finished != nil {
				// The end of the job is a point already.
				points = slices.DeleteFunc(points, func(a annotation) bool { return a.Time.Equal(*job.Finished) })
			}
			add(points, without)
		}
	}
	if undated > 0 {
		q.notices.Warn("%s left out: the gateway has no time for what happened.", query.Plural(undated, "event"))
	}
	drawn := all.sorted()
	switch {
	case q.Draw == drawAutomatic:
		drawn = q.limitDensity(drawn, all.total-checkpoints, checkpoints, more)
	case all.total > maxAnnotations:
		q.notices.Warn("Only %d of %d annotations are drawn, failures and the newest first. Choose statuses, models or jobs, or a shorter range.", maxAnnotations, all.total)
	}
	shown := make([]query.Annotation, len(drawn))
	for i, one := range drawn {
		shown[i] = one.Annotation
	}
	return data.Frames{query.AnnotationFrame("Fine-tuning", shown)}, nil
}

// drawnCheckpoints fetches the checkpoints that are drawn, and those whose losses are in texts. more is true if others are left
// out, because they would not be drawn.
func (c *Client) drawnCheckpoints(ctx context.Context, q *parsedQuery, jobs []Job, asPoints bool) (found jobDetails[detailList[Checkpoint]], more bool) {
	fetch := func(jobs []Job) jobDetails[detailList[Checkpoint]] {
		return fetchDetails(ctx, c, q, jobs, "checkpoints", prompt, (*reader).checkpoints)
	}
	visible, others := q.visibleFirst(startedJobs(jobs), asPoints)
	if !q.shows(showCheckpoints) {
		return fetch(visible[:min(len(visible), maxLosses)]), false
	}
	if q.Draw != drawAutomatic {
		return fetch(append(visible, others...)), false
	}
	found = fetch(visible)
	if !q.needsOthers(found, others) {
		return found, len(others) > 0
	}
	found.add(fetch(others))
	return found, false
}

// byRank sorts annotations by rank, newest first.
func byRank(a, b annotation) int {
	return cmp.Or(cmp.Compare(a.rank, b.rank), b.Time.Compare(a.Time), strings.Compare(b.ID, a.ID))
}

// readAnnotationOptions validates the options and sets their defaults.
func (q *parsedQuery) readAnnotationOptions() error {
	for _, what := range q.Show.Values {
		if what != showJobs && what != showStatusChanges && what != showCheckpoints {
			return &query.Error{Field: "Show", Message: fmt.Sprintf("%q is not known. Use jobs, statusChanges or checkpoints.", what)}
		}
	}
	if q.Show.All() {
		q.Show.Values = []string{showJobs, showCheckpoints}
	}
	q.Draw = cmp.Or(q.Draw, drawAutomatic)
	if q.Draw != drawAutomatic && q.Draw != drawPoints && q.Draw != drawRegions {
		return &query.Error{Field: "Draw", Message: fmt.Sprintf("%q is not known. Use automatic, points or regions.", q.Draw)}
	}
	return nil
}

func (q *parsedQuery) shows(what string) bool { return slices.Contains(q.Show.Values, what) }

// joinTags joins tags with commas, at which Grafana splits them.
func joinTags(tags ...string) string {
	var written []string
	for _, tag := range tags {
		if tag = strings.TrimSpace(strings.ReplaceAll(tag, ",", " ")); tag != "" {
			written = append(written, tag)
		}
	}
	return strings.Join(written, ",")
}
