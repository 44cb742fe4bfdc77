package query

import "time"

// Earlier is the earlier one of two times.
func Earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// Later is the later one of two times.
func Later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// Ago says how long before now a time was: "3 days ago". Messages don't name past times otherwise, because Grafana does not tell
// backends the time zone of a dashboard.
func Ago(at, now time.Time) string {
	const day = 24 * time.Hour
	switch ago := max(now.Sub(at), 0); {
	case ago >= 2*day:
		return Plural(int(ago/day), "day") + " ago"
	case ago >= 2*time.Hour:
		return Plural(int(ago/time.Hour), "hour") + " ago"
	default:
		return Plural(int(ago/time.Minute), "minute") + " ago"
	}
}
