package jobs

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/gateway"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// jobAnnotations are the annotations of a job: a region, or with asPoints a point for its start and one for its end. A job
// with one known time is a point. The count is 1 for a job without any time.
func (q request) jobAnnotations(job Job, links string, asPoints bool) ([]annotation, int) {
	lifetime, isKnown := q.lifetimeOf(job)
	if !isKnown {
		return nil, 1
	}
	facts := []string{cmp.Or(job.Status, "status unknown"), job.Model}
	switch {
	case lifetime.hasStart && lifetime.hasEnd:
		facts = append(facts, lifetime.end.Sub(lifetime.start).Round(time.Second).String())
	case !job.IsOver() && !job.EstimatedFinish.IsZero():
		facts = append(facts, "estimated to finish "+job.EstimatedFinish.Format("2006-01-02 15:04 MST"))
	}
	whole := query.Annotation{
		Time: lifetime.start, End: lifetime.end,
		ID: "job:" + job.ID, Title: "Fine-tuning job " + job.Name(), Text: joinFacts(append(facts, job.Error, job.ID)...),
		Tags: []string{job.Status, job.Model}, Color: Color(job.Status), Links: links,
	}
	made := func(a query.Annotation, rank rankOfAnnotation) annotation {
		return annotation{a.Time, a.End, rank, func() query.Annotation { return a }}
	}
	if !asPoints {
		// A point must lie in the range; a region overlaps it by selection.
		if whole.Time.Equal(whole.End) && !q.contains(whole.Time) {
			return nil, 0
		}
		return []annotation{made(whole, rankOf(job.Status))}, 0
	}
	var points []annotation
	if lifetime.hasStart && q.contains(lifetime.start) {
		point, rank := whole, rankOf(job.Status)
		point.ID, point.Title, point.End = whole.ID+":start", whole.Title+": created", lifetime.start
		if lifetime.hasEnd {
			// The end has the color of the status.
			point.Color, rank = Color(gateway.StatusRunning), rankStart
		}
		points = append(points, made(point, rank))
	}
	if lifetime.hasEnd && q.contains(lifetime.end) {
		point := whole
		point.ID, point.Title, point.Time = whole.ID+":end", whole.Title+": "+cmp.Or(job.Status, "finished"), lifetime.end
		points = append(points, made(point, rankOf(job.Status)))
	}
	return points, 0
}

// lifetime is the time range in which a job is drawn, and which of its ends are known.
type lifetime struct {
	start, end       time.Time
	hasStart, hasEnd bool
}

// lifetimeOf is the lifetime of a job. If one end is unknown, it is a point; that of a job that has not ended lasts until
// now, or until the end of the range. It is false for a job without any time.
func (q request) lifetimeOf(job Job) (lifetime, bool) {
	isCreated, isFinished := !job.Created.IsZero(), !job.Finished.IsZero()
	switch {
	case isCreated && isFinished && !job.Finished.Before(job.Created):
		return lifetime{job.Created, job.Finished, true, true}, true
	case isCreated && !job.IsOver():
		return lifetime{job.Created, query.Later(q.end(), job.Created), true, false}, true
	case isCreated:
		return lifetime{job.Created, job.Created, true, false}, true
	case isFinished:
		return lifetime{job.Finished, job.Finished, false, true}, true
	}
	return lifetime{}, false
}

func rankOf(status string) rankOfAnnotation {
	if gateway.Usual(status) == gateway.StatusFailed {
		return rankFailure
	}
	return rankEnd
}

// checkpointColor is neutral, because red and green stand for failed and succeeded jobs.
const checkpointColor = "gray"

// annotation is a point of a checkpoint with a time.
func (row *checkpointRow) annotation(links string) query.Annotation {
	title := "Checkpoint"
	step := ""
	if !math.IsNaN(row.Step) {
		step = strconv.FormatFloat(row.Step, 'f', -1, 64)
		title += " at step " + step
	}
	facts := []string{row.job.Name(), row.job.Status, row.job.Model}
	for _, name := range slices.Sorted(maps.Keys(row.Metrics)) {
		facts = append(facts, name+" "+strconv.FormatFloat(row.Metrics[name], 'g', 4, 64))
	}
	return query.Annotation{
		Time: row.Created, End: row.Created,
		ID:    "checkpoint:" + cmp.Or(row.ID, row.job.ID+":"+step+":"+strconv.FormatInt(row.Created.UnixMilli(), 10)),
		Title: title, Text: joinFacts(append(facts, row.ID)...), Tags: []string{row.job.Status, row.job.Model},
		Color: checkpointColor, Links: links,
	}
}

// joinFacts joins the facts that are not empty.
func joinFacts(facts ...string) string {
	return strings.Join(slices.DeleteFunc(facts, func(fact string) bool { return fact == "" }), " · ")
}
