package tuning

import (
	"cmp"
	"regexp"
	"strings"
)

// The usual statuses of jobs. Other statuses of a gateway are not changed.
const (
	statusValidating = "validating_files"
	statusPending    = "pending"
	statusQueued     = "queued"
	statusRunning    = "running"
	statusPaused     = "paused"
	statusSucceeded  = "succeeded"
	statusFailed     = "failed"
	statusCancelled  = "cancelled"
	statusCompleted  = "completed"
	statusError      = "error"
)

// The states of a timeline while the status is unknown.
const (
	// stateWaiting is before the first known status of a job.
	stateWaiting = "waiting"
	// stateInProgress is before the end of a job without events.
	stateInProgress = "in progress"
)

// lifecycle is the usual order of statuses.
var lifecycle = []string{
	statusValidating, statusPending, statusQueued, statusRunning, statusPaused, statusSucceeded, statusFailed, statusCancelled,
}

// colors are named colors of Grafana, which depend on the theme.
var colors = map[string]string{
	statusValidating: "yellow",
	statusPending:    "yellow",
	statusQueued:     "yellow",
	stateWaiting:     "yellow",
	statusRunning:    "blue",
	stateInProgress:  "blue",
	statusPaused:     "orange",
	statusSucceeded:  "green",
	statusFailed:     "red",
	statusCancelled:  "gray",
	"canceled":       "gray",
	// Together's API uses these for succeeded and failed.
	statusCompleted: "green",
	statusError:     "red",
}

// unknownColor is for other statuses.
const unknownColor = "purple"

// Color is the color of a status, a named color of Grafana.
func Color(status string) string {
	if color, ok := colors[strings.ToLower(status)]; ok {
		return color
	}
	return unknownColor
}

// statusNames are the spellings of statuses in events.
var statusNames = map[string]string{
	"validating": statusValidating, "validating_files": statusValidating,
	"pending": statusPending, "queued": statusQueued, "running": statusRunning, "paused": statusPaused,
	"succeeded": statusSucceeded, "success": statusSucceeded, "completed": statusSucceeded,
	"failed": statusFailed, "cancelled": statusCancelled, "canceled": statusCancelled,
}

// eventTypes are the event types of Together's API that imply a status.
var eventTypes = map[string]string{
	"job_pending": statusPending, "job_queued": statusQueued,
	"job_start": statusRunning, "job_started": statusRunning, "training_start": statusRunning,
	"job_complete": statusSucceeded, "job_completed": statusSucceeded,
	"job_error": statusFailed, "job_user_error": statusFailed, "job_failed": statusFailed,
}

// transition matches "Job status changed from queued to running", "status: failed" and "moving job to queued state".
var transition = sentencePattern(`(?:the )?(?:fine[- ]?tuning )?(?:job )?(?:status|state)(?: has| was| is)?(?: now| changed| updated| set)?(?: from \S+)?(?: to|:| is)? ?["']?([a-z_]+)["']?`,
	`(?:files validated, )?moving (?:the )?job to ["']?([a-z_]+)["']? (?:state|status)`)

// theJob matches the beginning of a sentence about the whole job: "The fine-tuning job ftjob-1 has now successfully …".
const theJob = `(?:the |this )?(?:fine[- ]?tun(?:e|ing) |training )?job(?: [\w.:-]*\d[\w.:-]*)?(?: has been| has| is| was)?(?: now)?(?: successfully)? `

// creation matches the message of a job's creation.
var creation = sentencePattern(`created (?:the )?fine[- ]?tun(?:e|ing) job(?::? \S+)?`, `fine[- ]?tun(?:e|ing) (?:job|request) created`)

// phrases are messages of events that report a status. They match whole messages, because a message about, for example, a
// completed epoch or a failed upload is not about the job.
var phrases = []struct {
	status  string
	pattern *regexp.Regexp
}{
	{statusQueued, creation},
	{statusQueued, sentencePattern(theJob+`(?:queued|enqueued)`, `job enqueued\. .*`)},
	{statusValidating, sentencePattern(`validating (?:the )?(?:(?:training |validation )?files?|(?:training|validation) data)(?:: .*)?`)},
	{statusRunning, sentencePattern(theJob+`(?:started|running|resumed)(?: at .{1,60})?`,
		`(?:training|fine[- ]?tuning)(?: has| is| was)?(?: now)? (?:started|resumed)(?: for model \S+)?(?: at .{1,60})?`,
		`started (?:the )?(?:job|training|fine[- ]?tuning(?: job)?)`)},
	{statusPaused, sentencePattern(theJob + `paused(?: by .{1,80})?`)},
	{statusSucceeded, sentencePattern(theJob + `(?:succeeded|completed|finished)(?: successfully)?(?: at .{1,60})?`)},
	{statusFailed, sentencePattern(theJob + `failed(?:: .*| due to .*| because .*| with .*)?`)},
	{statusCancelled, sentencePattern(theJob + `(?:canceled|cancelled)(?: by .{1,80})?`)},
}

// sentencePattern matches a message that is one of the sentences, ignoring letter case.
func sentencePattern(sentences ...string) *regexp.Regexp {
	return regexp.MustCompile(`(?is)^\s*(?:` + strings.Join(sentences, "|") + `)[.!\s]*$`)
}

// statusIn is the status that an event reports, or "". A status in the event's data has precedence over its type, and that
// over its message. Messages about training metrics have none.
func statusIn(message, kind string, details record) string {
	if status := details.text("status", "new_status", "state"); status != "" {
		return cmp.Or(statusNames[strings.ToLower(status)], status)
	}
	if status := eventTypes[strings.ToLower(kind)]; status != "" {
		return status
	}
	if kind == "metrics" || len(message) > maxSentence {
		return ""
	}
	if found := transition.FindStringSubmatch(message); found != nil {
		return statusNames[strings.ToLower(found[1]+found[2])]
	}
	if status := statusNames[strings.ToLower(strings.Trim(message, " ."))]; status != "" {
		return status
	}
	for _, phrase := range phrases {
		if phrase.pattern.MatchString(message) {
			return phrase.status
		}
	}
	return ""
}

// maxSentence is the maximum length of a message that is compared with phrases, in bytes.
const maxSentence = 2000
