package jobs

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/gateway"
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

// annotationsOptions are those of annotations.
type annotationsOptions struct {
	selection
	Show query.Choices `json:"show"`
	// Draw is how jobs are drawn.
	Draw string `json:"draw"`
}

func (o annotationsOptions) Parsed(bool) (annotationsOptions, error) {
	if err := cmp.Or(o.check(), o.Show.Check("Show")); err != nil {
		return o, err
	}
	for _, what := range o.Show.Values {
		if what != showJobs && what != showStatusChanges && what != showCheckpoints {
			return o, &query.Error{Field: "Show", Message: fmt.Sprintf("%q is not known. Use jobs, statusChanges or checkpoints.", what)}
		}
	}
	if o.Show.All() {
		o.Show.Values = []string{showJobs, showCheckpoints}
	}
	o.Draw = cmp.Or(o.Draw, drawAutomatic)
	if o.Draw != drawAutomatic && o.Draw != drawPoints && o.Draw != drawRegions {
		return o, &query.Error{Field: "Draw", Message: fmt.Sprintf("%q is not known. Use automatic, points or regions.", o.Draw)}
	}
	return o, nil
}

func (o annotationsOptions) shows(what string) bool { return slices.Contains(o.Show.Values, what) }

// drawing collects the annotations of a query.
type drawing struct {
	request
	annotationsOptions
	client *Client
	jobs   []Job
	// asPoints draws jobs as points, and not as regions.
	asPoints bool
	all      newest[annotation]
	// undated is the number of events without a time.
	undated int
	// checkpoints is the number of checkpoints, and more is true if there may be others.
	checkpoints int
	more        bool
}

// queryAnnotations is annotations of jobs: a region for each job, or a point for its start and one for its end, and a point
// for each status change and for each checkpoint.
//
// The columns are time, timeEnd, title, text, tags, id and color, all without nulls: Grafana drops every region if the first
// row has no timeEnd. A region of a job that has not ended ends now or with the range; timeEnd of a point is its time. A job
// with one known time is a point there. A notice has the number of events without a time. An id is stable between refreshes.
// Titles and texts are HTML in Grafana, so all text of the gateway is escaped.
func (c *Client) queryAnnotations(ctx context.Context, q request, o annotationsOptions) (data.Frames, error) {
	jobs, _, err := c.jobs(ctx, q, o.selection)
	if err != nil {
		return nil, err
	}
	jobs = q.inRange(jobs)
	d := &drawing{
		request: q, annotationsOptions: o, client: c, jobs: jobs, all: newest[annotation]{limit: maxAnnotations, compare: byRank},
		asPoints: o.Draw == drawPoints || o.Draw == drawAutomatic && q.tooManyRegions(jobs),
	}
	if o.shows(showJobs) || o.shows(showCheckpoints) {
		d.addJobsAndCheckpoints(ctx)
	}
	if o.shows(showStatusChanges) {
		d.addStatusChanges(ctx)
	}
	if ctx.Err() != nil {
		return nil, c.Transport.Explain(ctx.Err())
	}
	return data.Frames{query.AnnotationFrame("Fine-tuning", d.drawn())}, nil
}

func (d *drawing) add(some []annotation, undated int) {
	for _, one := range some {
		d.all.add(one)
	}
	d.undated += undated
}

func (d *drawing) addJobsAndCheckpoints(ctx context.Context) {
	found := d.fetchCheckpoints(ctx)
	if d.shows(showCheckpoints) {
		if err := addNotices(d.request, found); err != nil {
			d.notices.Warn("Checkpoints can't be read. %s", messageOf(err))
		}
	}
	for _, job := range d.jobs {
		if ctx.Err() != nil {
			return
		}
		rows, links := checkpointRows(d.request, job, found.ByJob[job.ID]), d.client.links.html(job, d.end())
		if d.shows(showJobs) {
			d.add(d.jobAnnotations(job, lastLoss(rows), links, d.asPoints))
		}
		if d.shows(showCheckpoints) {
			before := d.all.total
			for _, row := range rows {
				d.add(d.checkpointPoint(row, links))
			}
			d.checkpoints += d.all.total - before
		}
	}
}

// fetchCheckpoints fetches the checkpoints that are drawn, and those whose losses are in texts.
func (d *drawing) fetchCheckpoints(ctx context.Context) gateway.Details[gateway.List[Checkpoint]] {
	fetch := func(jobs []Job) gateway.Details[gateway.List[Checkpoint]] {
		return fetchDetails(ctx, d.client, d.request, jobs, "checkpoints", prompt, d.client.Checkpoints)
	}
	visible, others := d.visibleFirst(startedJobs(d.jobs))
	if !d.shows(showCheckpoints) {
		return fetch(visible[:min(len(visible), maxLosses)])
	}
	if d.Draw != drawAutomatic {
		return fetch(append(visible, others...))
	}
	found := fetch(visible)
	if d.needsOthers(found, others) {
		found = merged(found, fetch(others))
	} else {
		d.more = len(others) > 0
	}
	return found
}

func (d *drawing) addStatusChanges(ctx context.Context) {
	requested := slices.DeleteFunc(slices.Clone(d.jobs), func(j Job) bool { return j.ID == "" })
	visible, others := d.visibleFirst(requested)
	found := fetchDetails(ctx, d.client, d.request, append(visible, others...), "status changes", prompt, d.client.Events)
	if err := addNotices(d.request, found); err != nil {
		d.notices.Warn("Status changes can't be read. %s", messageOf(err))
	}
	for _, job := range requested {
		if ctx.Err() != nil {
			return
		}
		points, undated := d.statusChangePoints(job, found.ByJob[job.ID].Items, d.client.links.html(job, d.end()))
		if d.shows(showJobs) && d.asPoints && job.Finished != nil {
			// The end of the job is a point already.
			points = slices.DeleteFunc(points, func(a annotation) bool { return a.Time.Equal(*job.Finished) })
		}
		d.add(points, undated)
	}
}

// drawn are the annotations of the result, with notices about the others.
func (d *drawing) drawn() []query.Annotation {
	if d.undated > 0 {
		d.notices.Warn("%s left out: the gateway has no time for what happened.", query.Plural(d.undated, "event"))
	}
	drawn := d.all.sorted()
	switch {
	case d.Draw == drawAutomatic:
		drawn = d.limitDensity(drawn, d.all.total-d.checkpoints, d.checkpoints, d.more)
	case d.all.total > maxAnnotations:
		d.notices.Cut("Only %d of %d annotations are drawn, failures and the newest first. Choose statuses, models or jobs, or a shorter range.", maxAnnotations, d.all.total)
	}
	shown := make([]query.Annotation, len(drawn))
	for i, one := range drawn {
		shown[i] = one.Annotation
	}
	return shown
}

// byRank sorts annotations by rank, newest first.
func byRank(a, b annotation) int {
	return cmp.Or(cmp.Compare(a.rank, b.rank), b.Time.Compare(a.Time), strings.Compare(b.ID, a.ID))
}

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
