package gateway

import (
	"cmp"
	"regexp"
	"strings"
)

// The usual statuses of jobs. Other statuses of a gateway are not changed.
const (
	StatusValidating = "validating_files"
	StatusPending    = "pending"
	StatusQueued     = "queued"
	StatusRunning    = "running"
	StatusPaused     = "paused"
	StatusSucceeded  = "succeeded"
	StatusFailed     = "failed"
	StatusCancelled  = "cancelled"
)

// statusNames are the words for statuses in records and events, of which some are events of Together's API, and states of jobs of Fireworks'.
var statusNames = map[string]string{
	"validating": StatusValidating, "validating_files": StatusValidating,
	"pending": StatusPending, "job_pending": StatusPending, "validated": StatusPending, "created": StatusPending, "submitted": StatusPending,
	"queued": StatusQueued, "enqueued": StatusQueued, "job_queued": StatusQueued,
	"running": StatusRunning, "started": StatusRunning, "resumed": StatusRunning, "in_progress": StatusRunning, "training": StatusRunning,
	"job_start": StatusRunning, "job_started": StatusRunning, "training_start": StatusRunning,
	"paused": StatusPaused, "suspended": StatusPaused, "preempted": StatusPaused, "evicted": StatusPaused, "requeued": StatusQueued,
	"succeeded": StatusSucceeded, "success": StatusSucceeded, "completed": StatusSucceeded, "finished": StatusSucceeded,
	"job_complete": StatusSucceeded, "job_completed": StatusSucceeded, "early_stopped": StatusSucceeded,
	"failed": StatusFailed, "error": StatusFailed, "user_error": StatusFailed, "job_error": StatusFailed, "job_user_error": StatusFailed, "job_failed": StatusFailed, "failed_validation": StatusFailed,
	"cancelled": StatusCancelled, "canceled": StatusCancelled, "stopped": StatusCancelled, "expired": StatusCancelled,
}

// The sentences that report a status. They match whole messages, because a message about, for example, a completed epoch or a
// failed upload is not about the job.
var (
	// naming has the status as a word: "Status changed from queued to running", "The job has successfully completed".
	naming = sentencePattern(`([a-z_]+)`,
		`(?:the )?(?:fine[- ]?tuning )?(?:job )?(?:status|state)(?: has| was| is)?(?: now| changed| updated| set)?(?: from \S+)?(?: to|:| is)? ?["']?([a-z_]+)["']?`,
		`(?:files validated, )?moving (?:the )?job to ["']?([a-z_]+)["']? (?:state|status)`,
		`(?:the |this )?(?:fine[- ]?tun(?:e|ing) |training )?job(?: [\w.:-]*\d[\w.:-]*)?(?: has been| has| is| was)?(?: now)?(?: successfully)? `+
			`([a-z]+)(?: successfully)?(?: at .{1,60}| by .{1,80}|: .*| due to .*| because .*| with .*)?`)
	creation   = sentencePattern(`created (?:the )?fine[- ]?tun(?:e|ing) job(?::? \S+)?`, `fine[- ]?tun(?:e|ing) (?:job|request) created`, `job enqueued\. .*`)
	validation = sentencePattern(`validating (?:the )?(?:(?:training |validation )?files?|(?:training|validation) data)(?:: .*)?`)
	start      = sentencePattern(`started (?:the )?(?:job|training|fine[- ]?tuning(?: job)?)`,
		`(?:training|fine[- ]?tuning)(?: has| is| was)?(?: now)? (?:started|resumed)(?: for model \S+)?(?: at .{1,60})?`,
		`(?:(?:the )?(?:job|training|fine[- ]?tuning) )?(?:resumed|resuming)(?: training| job)? from (?:the )?(?:last |latest )?(?:step|checkpoint)(?: .{1,100})?`)
	preemption = sentencePattern(`(?:(?:the|a|an|spot) )*(?:worker|node|instance|machine|pod|vm)s?(?: [\w.:-]*\d[\w.:-]*)?(?: has been| have been| was| were| is)? ` +
		`(?:preempted|evicted)(?:[;:,.] .*| by .*| due to .*)?`)
)

// sentencePattern matches a message that is one of the sentences, ignoring letter case.
func sentencePattern(sentences ...string) *regexp.Regexp {
	return regexp.MustCompile(`(?is)^\s*(?:` + strings.Join(sentences, "|") + `)[.!\s]*$`)
}

// maxSentence is how much of a message is compared with sentences, in bytes. What follows is the reason, which can be a stack trace.
const maxSentence = 300

// statusIn is the status that an event reports, or "". A status in the event's data has precedence over its type, and that
// over its message. Messages about training metrics have none.
func statusIn(message, kind string, details record) string {
	if status := details.Text("status", "new_status", "state"); status != "" {
		return cmp.Or(statusNames[strings.ToLower(status)], status)
	}
	if status := statusNames[strings.ToLower(kind)]; status != "" && !strings.EqualFold(kind, "error") { // which may be about anything
		return status
	}
	message = message[:min(len(message), maxSentence)]
	switch {
	case kind == "metrics":
		return ""
	case creation.MatchString(message):
		return StatusQueued
	case validation.MatchString(message):
		return StatusValidating
	case start.MatchString(message):
		return StatusRunning
	case preemption.MatchString(message):
		return StatusPaused
	}
	for _, word := range naming.FindStringSubmatch(message) {
		if status := statusNames[strings.ToLower(word)]; status != "" {
			return status
		}
	}
	return ""
}
