package runs

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/tuning"
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

// queryAnnotations is a region for each run, and a point for each checkpoint. On a re-based axis runs begin at the left edge of
// the range, and checkpoints are where they are drawn over re-based curves.
func (c *Client) queryAnnotations(ctx context.Context, q *parsedQuery) (data.Frames, error) {
	q.Axis = cmp.Or(q.Axis, axisTime)
	if q.Axis != axisTime && q.Axis != axisRebased {
		return nil, &query.Error{Field: "X axis", Message: fmt.Sprintf("%q is not known. Use time or rebased.", q.Axis)}
	}
	runs, err := c.find(ctx, q, details{checkpoints: q.Show.Has(showCheckpoints)})
	if err != nil {
		return nil, err
	}
	runs = q.limit(runs, q.mostRuns())
	var ofRuns, ofCheckpoints []query.Annotation
	for _, run := range runs {
		shift := time.Duration(0)
		if q.Axis == axisRebased {
			shift = q.from.Sub(run.Start)
		}
		if q.Show.Has(showRuns) {
			ofRuns = append(ofRuns, run.annotation(shift))
		}
		if q.Show.Has(showCheckpoints) && run.job != nil {
			ofCheckpoints = append(ofCheckpoints, run.checkpointAnnotations(shift)...)
		}
	}
	if overlap(ofRuns) > maxOverlap {
		q.notices.Info("More than %d runs overlap, so their starts and ends are drawn instead of regions.", maxOverlap)
		ofRuns = asPoints(ofRuns)
	}
	all := slices.DeleteFunc(append(ofRuns, ofCheckpoints...), func(a query.Annotation) bool { return a.End.Before(q.from) || a.Time.After(q.to) })
	if len(all) > maxAnnotations {
		q.notices.Warn("Only %d of %d annotations are drawn. Choose fewer runs.", maxAnnotations, len(all))
		all = all[:maxAnnotations]
	}
	return data.Frames{query.AnnotationFrame("Runs", all)}, nil
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

func (r *Run) annotation(shift time.Duration) query.Annotation {
	return query.Annotation{
		Time: r.Start.Add(shift), End: r.End.Add(shift), ID: "run:" + r.ID, Title: "Run " + r.Name,
		Text: strings.Join([]string{r.Status, r.length().String(), r.ID}, " · "), Tags: r.tags(), Color: tuning.Color(r.Status),
	}
}

func (r *Run) checkpointAnnotations(shift time.Duration) []query.Annotation {
	var points []query.Annotation
	for i, checkpoint := range r.job.Checkpoints {
		if checkpoint.Created == nil {
			continue
		}
		title := "Checkpoint"
		if checkpoint.Step != nil {
			title += " at step " + strconv.FormatFloat(*checkpoint.Step, 'f', -1, 64)
		}
		at := checkpoint.Created.UTC().Add(shift)
		points = append(points, query.Annotation{
			Time: at, End: at, ID: "checkpoint:" + cmp.Or(checkpoint.ID, r.ID+":"+strconv.Itoa(i)), Title: title,
			Text: strings.Join([]string{r.Name, "after " + checkpoint.Created.Sub(r.Start).Round(time.Second).String(), checkpoint.ID}, " · "),
			Tags: r.tags(), Color: tuning.CheckpointColor,
		})
	}
	return points
}

// tags are the status and the name, without commas, at which Grafana splits tags.
func (r *Run) tags() string {
	return strings.ReplaceAll(r.Status, ",", " ") + "," + strings.ReplaceAll(r.Name, ",", " ")
}
