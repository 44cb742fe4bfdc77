package faults

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	document = "testdata/messages.md"
	begin    = "<!-- what follows is written by tests/faults: do not edit it by hand -->\n\n<!-- prettier-ignore-start -->"
	end      = "\n<!-- prettier-ignore-end -->\n"
	update   = "UPDATE_DOCS"
)

// compareTable compares testdata/messages.md with the outcomes, or writes it if the environment variable UPDATE_DOCS is set.
func compareTable(t *testing.T, cells []cell) {
	t.Helper()
	saved := savedTable(t)
	head, _, found := strings.Cut(saved, begin)
	require.True(t, found, "testdata/messages.md has lost its mark")
	wanted := head + begin + "\n" + table(cells) + end
	if os.Getenv(update) != "" {
		require.NoError(t, os.WriteFile(document, []byte(wanted), 0o600))
		return
	}
	if wanted != saved {
		t.Errorf("testdata/messages.md is not up to date; %s=1 go test ./tests/faults writes it.%s", update, firstDifference(saved, wanted))
	}
}

func savedTable(t *testing.T) string {
	t.Helper()
	saved, err := os.ReadFile(document)
	require.NoError(t, err)
	return string(saved)
}

func firstDifference(saved, seen string) string {
	a, b := strings.Split(saved, "\n"), strings.Split(seen, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf(" Line %d:\nsaved %s\nseen  %s", i+1, a[i], b[i])
		}
	}
	return ""
}

// table has a section for each service, and a row for each message of a fault.
func table(cells []cell) string {
	var b strings.Builder
	for _, service := range []string{metricsService, tuningService, mainService} {
		names := endpointsOf(service)
		fmt.Fprintf(&b, "\n## %s\n", service)
		group := ""
		for _, f := range faults() {
			if f.group != group {
				group = f.group
				fmt.Fprintf(&b, "\n### %s: %s\n\n| Fault | Error message | %s |\n| --- | --- |%s\n",
					service, lower(group), strings.Join(names, " | "), strings.Repeat(" --- |", len(names)))
			}
			b.WriteString(rows(cells, f, service, names))
		}
	}
	return b.String()
}

func endpointsOf(service string) []string {
	var names []string
	for _, d := range endpoints {
		if d.service == service {
			names = append(names, d.name)
		}
	}
	return names
}

// lower is a text for after a colon, in lower case unless it begins with an abbreviation.
func lower(text string) string {
	if strings.HasPrefix(text, "TLS") {
		return text
	}
	return strings.ToLower(text[:1]) + text[1:]
}

// rows has a row for each message, in the order of endpoints.
func rows(cells []cell, f fault, service string, names []string) string {
	var messages []string
	states := map[string]map[string]string{}
	for _, c := range cells {
		if c.fault.name != f.name || c.fault.group != f.group || c.endpoint.service != service {
			continue
		}
		message := "_the complete result_"
		if c.got.cutOff() {
			message = "_no message: the connection is closed within the download, which therefore fails_"
		} else if c.got.failed {
			message = stabilize(c.got.text)
		} else if !f.complete {
			message = "_" + f.exceptions[service+" "+c.endpoint.name] + "_"
		}
		if !slices.Contains(messages, message) {
			messages, states[message] = append(messages, message), map[string]string{}
		}
		states[message][c.endpoint.name] = c.got.state()
	}
	var b strings.Builder
	for i, message := range messages {
		title := f.name
		if i > 0 {
			title = ""
		}
		fmt.Fprintf(&b, "| %s | %s |", title, message)
		for _, name := range names {
			fmt.Fprintf(&b, " %s |", states[message][name])
		}
		b.WriteString("\n")
	}
	return b.String()
}

// durations differ from run to run.
var durations = regexp.MustCompile(`(\d+h)?(\d+m)?\d+s\b`)

// stabilize removes from a message what differs between runs, and escapes it for a table.
func stabilize(text string) string {
	return strings.ReplaceAll(durations.ReplaceAllString(text, "_…_"), "|", `\|`)
}
