package jobs

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/gateway"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

const (
	// maxAnnotatedJobs bounds the jobs whose checkpoints are read, because each is a request.
	maxAnnotatedJobs = 100
	// maxAnnotations is the number of annotations above which one is drawn in each of as many parts of the range, and every failure: Grafana
	// draws each point as a dashed line.
	maxAnnotations = 100
	// maxRegions bounds the jobs that are drawn as regions, and maxRegionsAtOnce those that overlap: Grafana fills a region over the height of
	// the panel, with a darker color where regions overlap.
	maxRegions, maxRegionsAtOnce = 6, 2
)

// The values of the option show.
const (
	showJobs        = "jobs"
	showCheckpoints = "checkpoints"
)

// annotation is when an annotation of a job is drawn, and how it is made if it is: of up to 100,000 checkpoints few are.
type annotation struct {
	start, end time.Time
	rank       rankOfAnnotation
	make       func() query.Annotation
}

// rankOfAnnotation is the priority of an annotation if there are too many; the lowest comes first.
type rankOfAnnotation int

const (
	rankFailure rankOfAnnotation = iota
	rankEnd
	rankStart
	rankCheckpoint
)

// annotationsOptions are those of annotations.
type annotationsOptions struct {
	selection
	Show query.Choices `json:"show"`
}

// check refuses what can't be shown.
func (o annotationsOptions) check() error {
	for _, what := range o.Show.Values {
		if err := query.OneOf("Show", what, showJobs, showCheckpoints); err != nil {
			return err
		}
	}
	return nil
}

func (o annotationsOptions) shows(what string) bool {
	return o.Show.All() || slices.Contains(o.Show.Values, what)
}

// queryAnnotations is annotations of jobs: a region for each job, or where many overlap a point for its start and one for its end, and a
// point for each checkpoint. Of many annotations some are drawn.
//
// The columns are time, timeEnd, title, text, tags, id and color, all without nulls: Grafana drops every region if the first
// row has no timeEnd. A region of a job that has not ended ends now or with the range; timeEnd of a point is its time. A job
// with one known time is a point there. A notice has the number of events without a time. An id is stable between refreshes.
// Titles and texts are HTML in Grafana, so all text of the gateway is escaped.
func (c *Client) queryAnnotations(ctx context.Context, q request) (data.Frames, error) {
	o, err := query.Parse[annotationsOptions](q.saved)
	if err == nil {
		err = o.check()
	}
	if err != nil {
		return nil, err
	}
	s, err := c.selectJobs(ctx, q, o.selection, true, q.notices.Blank("Show", o.Show))
	if err != nil {
		return nil, err
	}
	asPoints := q.tooManyRegions(s.chosen)
	var all []annotation
	undated := 0
	var checkpoints map[string]gateway.List[Checkpoint]
	if o.shows(showCheckpoints) {
		read := startedJobs(q.newestJobs(s.chosen, maxAnnotatedJobs, "checkpoints"))
		if checkpoints, err = details(ctx, c, q, read, "checkpoints", prompt, c.Checkpoints); err != nil {
			return nil, err
		}
	}
	for _, job := range s.chosen {
		rows, links := checkpointRows(&job, checkpoints[job.ID]), c.Links.html(job, q.end())
		if o.shows(showJobs) {
			some, without := q.jobAnnotations(job, links, asPoints)
			all = append(all, some...)
			undated += without
		}
		for i := range rows {
			switch row := &rows[i]; {
			case row.Created.IsZero():
				undated++
			case q.contains(row.Created):
				all = append(all, annotation{row.Created, row.Created, rankCheckpoint, func() query.Annotation { return row.annotation(links) }})
			}
		}
	}
	if undated > 0 {
		q.notices.Warn("%s left out: the gateway has no time for what happened.", query.Plural(undated, "event"))
	}
	slices.SortStableFunc(all, func(a, b annotation) int { return cmp.Or(cmp.Compare(a.rank, b.rank), b.start.Compare(a.start)) })
	drawn := all
	if len(all) > maxAnnotations {
		drawn = q.onePerSlot(all)
	}
	if len(drawn) < len(all) {
		q.notices.Cut("Only %d of %d annotations are drawn, failures first. Choose statuses, models or jobs, or a shorter range.", len(drawn), len(all))
	}
	shown := make([]query.Annotation, len(drawn))
	for i, one := range drawn {
		shown[i] = one.make()
	}
	return data.Frames{query.AnnotationFrame("Fine-tuning", shown)}, nil
}

// tooManyRegions reports whether the jobs, all of which overlap the range, are too many to be regions.
func (q request) tooManyRegions(jobs []Job) bool {
	var regions []query.Annotation
	for _, job := range jobs {
		if l, isKnown := q.lifetimeOf(job); isKnown && l.end.After(l.start) {
			regions = append(regions, query.Annotation{Time: l.start, End: l.end})
		}
	}
	return len(regions) > maxRegions || query.Overlap(regions) > maxRegionsAtOnce
}

// onePerSlot keeps the first annotation in each part of the range, and every failure. The parts are aligned, so that a refresh draws
// the same annotations. Regions are kept.
func (q request) onePerSlot(all []annotation) []annotation {
	size := max(1, q.to.Sub(q.from).Milliseconds()/maxAnnotations)
	taken := map[int64]bool{}
	var kept []annotation
	for _, a := range all {
		if part := a.start.UnixMilli() / size; a.rank == rankFailure || a.end.After(a.start) || !taken[part] {
			taken[part] = true
			kept = append(kept, a)
		}
	}
	return kept
}
