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
	document = "../../docs/develop/faults.md"
	begin    = "<!-- what follows is written by tests/faults: do not edit it by hand -->\n\n<!-- prettier-ignore-start -->"
	end      = "\n<!-- prettier-ignore-end -->\n"
	update   = "UPDATE_DOCS"
)

// compareTable checks that docs/develop/faults.md holds what was seen, or writes it there if it is asked to.
func compareTable(t *testing.T, cells []cell) {
	t.Helper()
	saved, err := os.ReadFile(document)
	require.NoError(t, err)
	head, _, found := strings.Cut(string(saved), begin)
	require.True(t, found, "docs/develop/faults.md has lost its mark")
	wanted := head + begin + "\n" + table(cells) + end
	if os.Getenv(update) != "" {
		require.NoError(t, os.WriteFile(document, []byte(wanted), 0o600))
		return
	}
	if wanted != string(saved) {
		t.Errorf("docs/develop/faults.md is not up to date; %s=1 go test ./tests/faults writes it.%s", update, firstDifference(string(saved), wanted))
	}
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

// table is a chapter a service and a row for each sentence that a fault leads to.
func table(cells []cell) string {
	var b strings.Builder
	for _, service := range []string{metricsService, tuningService, mainService} {
		var names []string
		for _, d := range doors {
			if d.service == service {
				names = append(names, d.name)
			}
		}
		fmt.Fprintf(&b, "\n## %s\n", service)
		group := ""
		for _, f := range faults() {
			if f.group != group {
				group = f.group
				fmt.Fprintf(&b, "\n### %s: %s\n\n| What happens | What people read | %s |\n| --- | --- |%s\n",
					service, lower(group), strings.Join(names, " | "), strings.Repeat(" --- |", len(names)))
			}
			b.WriteString(rows(cells, f, service, names))
		}
	}
	return b.String()
}

// lower begins with a small letter what can stand after a colon, unless it begins with an abbreviation.
func lower(text string) string {
	if strings.HasPrefix(text, "TLS") {
		return text
	}
	return strings.ToLower(text[:1]) + text[1:]
}

// rows are one for each sentence, in the order of doors.
func rows(cells []cell, f fault, service string, names []string) string {
	var sentences []string
	states := map[string]map[string]string{}
	for _, c := range cells {
		if c.fault.name != f.name || c.fault.group != f.group || c.door.service != service {
			continue
		}
		said := "_the whole answer_"
		if c.got.cutOff() {
			said = "_no sentence: the download has begun, and its connection is cut, so that it does not count as complete_"
		} else if c.got.failed {
			said = steady(c.got.text)
		} else if !f.whole {
			said = "_" + f.but[service+" "+c.door.name] + "_"
		}
		if !slices.Contains(sentences, said) {
			sentences, states[said] = append(sentences, said), map[string]string{}
		}
		states[said][c.door.name] = c.got.state()
	}
	var b strings.Builder
	for i, said := range sentences {
		title := f.name
		if i > 0 {
			title = ""
		}
		fmt.Fprintf(&b, "| %s | %s |", title, said)
		for _, name := range names {
			fmt.Fprintf(&b, " %s |", states[said][name])
		}
		b.WriteString("\n")
	}
	return b.String()
}

// durations differ from run to run.
var durations = regexp.MustCompile(`(\d+h)?(\d+m)?\d+s\b`)

// steady writes a sentence so that it is the same in each run, and fit for a table.
func steady(text string) string {
	return strings.ReplaceAll(durations.ReplaceAllString(text, "_…_"), "|", `\|`)
}
