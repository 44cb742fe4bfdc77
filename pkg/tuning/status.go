package tuning

import (
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

// colors are Grafana's named colours, so that they follow the theme.
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

// transition matches "status changed to running", "moving job to queued state" and "status: failed".
var transition = regexp.MustCompile(`(?i)\b(?:status|state)\b[^.]{0,40}?(?:\bto\b|\bis\b|now|:|=|->|→)\s*["']?([a-z_]+)|\bto\s+["']?([a-z_]+)["']?\s+(?:state|status)\b`)

// phrases are how events tell a status in plain words. The first that fits counts. They ask for the job as a whole: an
// epoch completes and an upload fails without the job doing so.
var phrases = []struct {
	status  string
	pattern *regexp.Regexp
}{
	{statusSucceeded, regexp.MustCompile(`(?i)\b(?:job|fine-?tuning)\b.*\b(?:succeeded|completed|finished)\b|successfully completed`)},
	{statusFailed, regexp.MustCompile(`(?i)\b(?:job|fine-?tuning|training)\b(?: \S+)? (?:has )?failed\b`)},
	{statusCancelled, regexp.MustCompile(`(?i)\b(?:job|fine-?tuning|training)\b.*\bcancell?ed\b`)},
	{statusPaused, regexp.MustCompile(`(?i)\b(?:job|fine-?tuning|training)\b.*\bpaused\b`)},
	{statusValidating, regexp.MustCompile(`(?i)\bvalidating\b`)},
	{statusRunning, regexp.MustCompile(`(?i)\b(?:job|fine-?tuning|training)\b(?: \S+)? (?:has |is |was )?(?:now )?(?:started|running|resumed)\b|\bstarted (?:the )?(?:job|fine-?tuning|training)\b`)},
	{statusQueued, regexp.MustCompile(`(?i)\b(?:job|fine-?tuning)\b.*\bqueued\b|\bcreated fine-?tuning job\b`)},
}

// statusIn finds the status that an event tells of, or "". A status in the event's data is taken as it is; else the words
// of the message decide, because the convention has no field for it.
func statusIn(message string, details record) string {
	if told := details.text("status", "new_status", "state"); told != "" {
		return told
	}
	if found := transition.FindStringSubmatch(message); found != nil {
		if status := words[strings.ToLower(found[1]+found[2])]; status != "" {
			return status
		}
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
