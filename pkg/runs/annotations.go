package runs

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/jobs"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// What annotations show.
const (
	showRuns        = "runs"
	showCheckpoints = "checkpoints"
)

const axisTime = "time"

const (
	// maxAnnotations bounds what is drawn over a panel. Those of runs come before checkpoints.
	maxAnnotations = 100
	// maxOverlap is how many regions may lie over each other. Where there are more, their tints cover the panel.
	maxOverlap = 3
)

// annotations is a query of the type runAnnotations.
type annotations struct {
	options
	Axis    string        `json:"axis"`
	Show    query.Choices `json:"show"`
	MaxRuns query.Number  `json:"maxRuns"`
}

func (q *annotations) check(bool) error {
	if q.Axis != "" && q.Axis != axisTime {
		return &query.Error{Field: "X axis", Message: "annotations are drawn at their times, and on no other axis. Leave it out."}
	}
	return nil
}

func (q *annotations) needs() (int, details) {
	return mostRuns(q.MaxRuns), details{checkpoints: q.Show.Has(showCheckpoints)}
}

// frames are a region for each run, and a point for each checkpoint.
func (q *annotations) frames(_ context.Context, t *task, runs []run) (data.Frames, error) {
	var all, ofCheckpoints []query.Annotation
	for i := range runs {
		if q.Show.Has(showRuns) {
			all = append(all, runs[i].annotation())
		}
		if q.Show.Has(showCheckpoints) && runs[i].job != nil {
			ofCheckpoints = append(ofCheckpoints, runs[i].checkpointAnnotations()...)
		}
	}
	if overlap(all) > maxOverlap {
		t.notices.Info("More than %d runs overlap, so their starts and ends are drawn instead of regions.", maxOverlap)
		all = asPoints(all)
	}
	return t.drawn("Runs", append(all, ofCheckpoints...)), nil
}

// drawn is the frame of the first annotations within the range.
func (t *task) drawn(name string, all []query.Annotation) data.Frames {
	all = slices.DeleteFunc(all, func(a query.Annotation) bool { return a.End.Before(t.from) || a.Time.After(t.to) })
	if len(all) > maxAnnotations {
		t.notices.Cut("Only %d of %d annotations are drawn. Choose fewer runs.", maxAnnotations, len(all))
		all = all[:maxAnnotations]
	}
	return data.Frames{query.AnnotationFrame(name, all)}
}

// overlap is the most regions that lie over each other at a time.
func overlap(regions []query.Annotation) int {
	most := 0
	for _, region := range regions {
		over := 0
		for _, other := range regions {
			if !other.Time.After(region.Time) && other.End.After(region.Time) {
				over++
			}
		}
		most = max(most, over)
	}
	return most
}

// asPoints is the start and the end of each region.
func asPoints(regions []query.Annotation) []query.Annotation {
	points := make([]query.Annotation, 0, 2*len(regions))
	for _, region := range regions {
		start, end := region, region
		start.End, start.ID, start.Title = region.Time, region.ID+":start", region.Title+": start"
		end.Time, end.ID, end.Title = region.End, region.ID+":end", region.Title+": end"
		points = append(points, start, end)
	}
	return points
}

func (r *run) annotation() query.Annotation {
	return query.Annotation{
		Time: r.start, End: r.end, ID: "run:" + r.id, Title: "Run " + r.name,
		Text: strings.Join([]string{r.status, r.length().String(), r.id}, " · "), Tags: r.tags(), Color: jobs.Color(r.status),
	}
}

func (r *run) checkpointAnnotations() []query.Annotation {
	var points []query.Annotation
	for i, checkpoint := range r.job.Checkpoints {
		if checkpoint.Created == nil {
			continue
		}
		title := "Checkpoint"
		if checkpoint.Step != nil {
			title += " at step " + strconv.FormatFloat(*checkpoint.Step, 'f', -1, 64)
		}
		at := checkpoint.Created.UTC()
		points = append(points, query.Annotation{
			Time: at, End: at, ID: "checkpoint:" + cmp.Or(checkpoint.ID, r.id+":"+strconv.Itoa(i)), Title: title,
			Text: strings.Join([]string{r.name, "after " + checkpoint.Created.Sub(r.start).Round(time.Second).String(), checkpoint.ID}, " · "),
			Tags: r.tags(), Color: jobs.CheckpointColor,
		})
	}
	return points
}

// tags are the status and the name, without commas, at which Grafana splits tags.
func (r *run) tags() string {
	return strings.ReplaceAll(r.status, ",", " ") + "," + strings.ReplaceAll(r.name, ",", " ")
}
