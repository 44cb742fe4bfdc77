package tuning

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// jobAnnotations are the job's life as far as it is known: a region, or with asMarks a point for its start and one for its
// end. Where only one of them is known, it is a point there. The count is 1 for a job without any time.
func (q *query) jobAnnotations(job Job, loss, links string, asMarks bool) ([]annotation, int) {
	life, isKnown := q.lifeOf(job)
	if !isKnown {
		return nil, 1
	}
	facts := []string{cmp.Or(job.Status, "status unknown"), job.Model}
	switch {
	case life.hasStart && life.hasEnd:
		facts = append(facts, life.end.Sub(life.start).Round(time.Second).String())
	case life.hasStart && job.Terminal():
		facts = append(facts, "created; when it ended isn't known")
	case life.hasStart && job.EstimatedFinish != nil:
		facts = append(facts, "estimated to finish "+job.EstimatedFinish.Format("2006-01-02 15:04 MST"))
	case !life.hasStart:
		facts = append(facts, "finished; when it was created isn't known")
	}
	facts = append(facts, loss)
	if job.TrainedTokens != nil {
		facts = append(facts, strconv.FormatFloat(*job.TrainedTokens, 'f', 0, 64)+" tokens")
	}
	whole := annotation{
		time: life.start, end: life.end,
		id: "job:" + job.ID, title: "Fine-tuning job " + job.Name(), text: sentence(append(facts, job.Error, job.ID)...),
		status: job.Status, model: job.Model, color: colorOf(job.Status), links: links, jobID: job.ID, rank: rankOf(job.Status),
	}
	if !asMarks {
		// A point must lie in the range; a region overlaps it by selection.
		if whole.time.Equal(whole.end) && !q.holds(whole.time) {
			return nil, 0
		}
		return []annotation{whole}, 0
	}
	var marks []annotation
	if life.hasStart && q.holds(life.start) {
		mark := whole
		mark.id, mark.title, mark.end = whole.id+":start", whole.title+": created", life.start
		if life.hasEnd {
			// The end has the color of the status.
			mark.color, mark.rank = colorOf(statusRunning), rankStart
		}
		marks = append(marks, mark)
	}
	if life.hasEnd && q.holds(life.end) {
		mark := whole
		mark.id, mark.title, mark.time = whole.id+":end", whole.title+": "+cmp.Or(job.Status, "finished"), life.end
		marks = append(marks, mark)
	}
	return marks, 0
}

// life is from when to when a job is drawn, and which of both is known to have happened.
type life struct {
	start, end       time.Time
	hasStart, hasEnd bool
}

// lifeOf is the job's life. Without one of its ends it is a point; that of a job that is not over lasts up to now, or to the
// end of the range. It is false for a job without any time.
func (q *query) lifeOf(job Job) (life, bool) {
	switch {
	case job.Created != nil && job.Finished != nil && !job.Finished.Before(*job.Created):
		return life{*job.Created, *job.Finished, true, true}, true
	case job.Created != nil && !job.Terminal():
		end := q.end()
		if end.Before(*job.Created) {
			end = *job.Created
		}
		return life{*job.Created, end, true, false}, true
	case job.Created != nil:
		return life{*job.Created, *job.Created, true, false}, true
	case job.Finished != nil:
		return life{*job.Finished, *job.Finished, false, true}, true
	}
	return life{}, false
}

func rankOf(status string) rankOfAnnotation {
	switch strings.ToLower(status) {
	case statusFailed, statusError:
		return rankFailure
	}
	return rankChange
}

// checkpointColor is a quiet one: red and green are those of how jobs end.
const checkpointColor = "gray"

func (q *query) checkpointMark(row checkpointRow, links string) ([]annotation, int) {
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
	facts := []string{row.job.Name(), row.job.Status, row.job.Model}
	for _, name := range slices.Sorted(maps.Keys(row.Metrics)) {
		facts = append(facts, measure(name, row.Metrics[name]))
	}
	return []annotation{{
		time: *row.Created, end: *row.Created,
		id:    "checkpoint:" + cmp.Or(row.ID, row.job.ID+":"+step+":"+stamp(*row.Created)),
		title: title, text: sentence(append(facts, row.ID)...), status: row.job.Status, model: row.job.Model,
		color: checkpointColor, links: links, jobID: row.job.ID, rank: rankCheckpoint,
	}}, 0
}

func (q *query) changeMarks(job Job, events []Event, links string) ([]annotation, int) {
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
			color: colorOf(change.Status), links: links, jobID: job.ID, rank: rankOf(change.Status),
		})
	}
	return marks, undated
}

// losses are the metrics that say how far a job came, by the convention that gateways follow.
var losses = []string{"train_loss", "valid_loss", "loss"}

// lastLoss writes the losses of the last checkpoint that has any. The rows are in the order of their steps.
func lastLoss(rows []checkpointRow) string {
	for _, row := range slices.Backward(rows) {
		var known []string
		for _, name := range losses {
			if value, ok := row.Metrics[name]; ok {
				known = append(known, measure(name, value))
			}
		}
		if len(known) > 0 {
			return "last " + strings.Join(known, ", ")
		}
	}
	return ""
}

func measure(name string, value float64) string {
	return name + " " + strconv.FormatFloat(value, 'g', 4, 64)
}

func stamp(at time.Time) string { return strconv.FormatInt(at.UnixMilli(), 10) }

// sentence joins what is known.
func sentence(facts ...string) string {
	return strings.Join(slices.DeleteFunc(facts, func(fact string) bool { return fact == "" }), " · ")
}
