package tuning

import (
	"cmp"
	"regexp"
	"strings"
)

// The statuses that jobs are known to have. A gateway may use others; they are kept as they are.
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

// The states of a timeline for times at which the status itself isn't known.
const (
	// stateWaiting: the job existed, and its first known status came later.
	stateWaiting = "waiting"
	// stateInProgress: the job existed and was not finished; the gateway has no events that tell more.
	stateInProgress = "in progress"
)

// lifecycle is the order in which people think of statuses.
var lifecycle = []string{
	statusValidating, statusPending, statusQueued, statusRunning, statusPaused, statusSucceeded, statusFailed, statusCancelled,
}

// colors are Grafana's named colors, so that they follow the theme.
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
	// Together's API says these for succeeded and failed.
	statusCompleted: "green",
	statusError:     "red",
}

// unknownColor is for statuses that only the gateway knows.
const unknownColor = "purple"

func colorOf(status string) string {
	if color, ok := colors[strings.ToLower(status)]; ok {
		return color
	}
	return unknownColor
}

// words are the ways in which events write a status.
var words = map[string]string{
	"validating": statusValidating, "validating_files": statusValidating,
	"pending": statusPending, "queued": statusQueued, "running": statusRunning, "paused": statusPaused,
	"succeeded": statusSucceeded, "success": statusSucceeded, "completed": statusSucceeded,
	"failed": statusFailed, "cancelled": statusCancelled, "canceled": statusCancelled,
}

// eventTypes are the event types that are a status by themselves, as Together's API has them.
var eventTypes = map[string]string{
	"job_pending": statusPending, "job_queued": statusQueued,
	"job_start": statusRunning, "job_started": statusRunning, "training_start": statusRunning,
	"job_complete": statusSucceeded, "job_completed": statusSucceeded,
	"job_error": statusFailed, "job_user_error": statusFailed, "job_failed": statusFailed,
}

// transition matches "Job status changed from queued to running", "status: failed" and "moving job to queued state".
var transition = sentencePattern(`(?:the )?(?:fine[- ]?tuning )?(?:job )?(?:status|state)(?: has| was| is)?(?: now| changed| updated| set)?(?: from \S+)?(?: to|:| is)? ?["']?([a-z_]+)["']?`,
	`(?:files validated, )?moving (?:the )?job to ["']?([a-z_]+)["']? (?:state|status)`)

// theJob begins a sentence about the job as a whole: "The fine-tuning job ftjob-1 has now successfully …".
const theJob = `(?:the |this )?(?:fine[- ]?tun(?:e|ing) |training )?job(?: [\w.:-]*\d[\w.:-]*)?(?: has been| has| is| was)?(?: now)?(?: successfully)? `

// creation matches the sentence with which a job begins.
var creation = sentencePattern(`created (?:the )?fine[- ]?tun(?:e|ing) job(?::? \S+)?`, `fine[- ]?tun(?:e|ing) (?:job|request) created`)

// phrases are the sentences with which events report a status. They match whole messages, because an epoch completes, an
// upload fails and a checkpoint is validated without the job doing so.
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

// sentencePattern matches a message that is one of the sentences from its beginning to its end, in any letter case.
func sentencePattern(sentences ...string) *regexp.Regexp {
	return regexp.MustCompile(`(?is)^\s*(?:` + strings.Join(sentences, "|") + `)[.!\s]*$`)
}

// statusIn finds the status that an event reports, or "". A status in the event's data decides, then its type, then its
// message, unless it is one of the training metrics.
func statusIn(message, kind string, details record) string {
	if status := details.text("status", "new_status", "state"); status != "" {
		return cmp.Or(words[strings.ToLower(status)], status)
	}
	if status := eventTypes[strings.ToLower(kind)]; status != "" {
		return status
	}
	if kind == "metrics" || len(message) > maxSentence {
		return ""
	}
	if found := transition.FindStringSubmatch(message); found != nil {
		return words[strings.ToLower(found[1]+found[2])]
	}
	if status := words[strings.ToLower(strings.Trim(message, " ."))]; status != "" {
		return status
	}
	for _, phrase := range phrases {
		if phrase.pattern.MatchString(message) {
			return phrase.status
		}
	}
	return ""
}

// maxSentence is the longest message that is compared with phrases, in bytes.
const maxSentence = 2000
