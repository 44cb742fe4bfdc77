package mainapi

import (
	"embed"
	"encoding/json"
	"maps"
	"slices"
	"time"
)

// fixtures has the items of the lists that don't follow the scenario, for a fleet of the default size. The files of a day have
// the items of one day, whose times are durations since midnight.
//
//go:embed lists/*.json
var fixtures embed.FS

func readFixture(name string) []item {
	content, err := fixtures.ReadFile("lists/" + name + ".json")
	var items []item
	if err == nil {
		err = json.Unmarshal(content, &items)
	}
	if err != nil {
		panic("mainapi: " + err.Error())
	}
	return items
}

// fixture serves the items of a file. The parameter product_name filters those that have one.
func fixture(name string) func(*API, *listRequest) []item {
	items := readFixture(name)
	return func(_ *API, q *listRequest) []item {
		products := q.filter("product_name")
		return slices.DeleteFunc(slices.Clone(items), func(one item) bool {
			product, ok := one["product_name"].(string)
			return ok && !admits(products, product)
		})
	}
}

// day and retention, which is how far back usage and audit logs go, are in milliseconds.
const day, retention = 24 * 3600e3, 30 * day

var usageOfADay, auditLogsOfADay = readFixture("usage-of-a-day"), readFixture("audit-logs-of-a-day")

// usage lists the GPU hours of each pool on each day, in UTC, or on the part of a day that is in the range. The usual range is a
// week.
func (a *API) usage(q *listRequest) []item {
	from, to := q.span(7 * day)
	return eachDay(from, to, usageOfADay, func(one item, midnight int64) bool {
		begin, end := max(midnight, from), min(midnight+day, to)
		one["start_time"], one["end_time"] = stamp(begin), stamp(end)
		for _, hours := range []string{"gpu_hours", "gpu_hours_active"} {
			one[hours] = one[hours].(float64) * float64(end-begin) / day
		}
		return begin < end
	})
}

// auditLogs lists what people and the platform did, the same on each day. The usual range is a day.
func (a *API) auditLogs(q *listRequest) []item {
	from, to := q.span(day)
	return eachDay(from, to, auditLogsOfADay, func(one item, midnight int64) bool {
		at := midnight + sinceMidnight(one["time"])
		one["id"], one["time"] = one["id"].(string)+"-"+stamp(midnight)[:len(time.DateOnly)], stamp(at)
		if end := midnight + sinceMidnight(one["end_time"]); end <= at || end > q.now {
			one["end_time"] = nil
		} else {
			one["end_time"] = stamp(end)
		}
		return at >= from && at <= to
	})
}

// eachDay repeats the items of a day on each day of a range, newest first. date sets the times of an item, and reports whether
// it belongs to the range.
func eachDay(from, to int64, items []item, date func(one item, midnight int64) bool) []item {
	var found []item
	for midnight := to - to%day; midnight > from-day; midnight -= day {
		for _, one := range items {
			if one = maps.Clone(one); date(one, midnight) {
				found = append(found, one)
			}
		}
	}
	return found
}

// sinceMidnight reads a duration, in milliseconds; 0 if there is none.
func sinceMidnight(value any) int64 {
	text, _ := value.(string)
	d, _ := time.ParseDuration(text)
	return d.Milliseconds()
}
