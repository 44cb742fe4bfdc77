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

const messages = "testdata/messages.txt"

func savedMessages(t *testing.T) string {
	t.Helper()
	saved, err := os.ReadFile(messages)
	require.NoError(t, err)
	return string(saved)
}

// compareMessages compares testdata/messages.txt with the outcomes, or writes it if the environment variable UPDATE_MESSAGES is set.
func compareMessages(t *testing.T, cells []cell) {
	t.Helper()
	var all strings.Builder
	for i, c := range cells {
		if i == 0 || c.fault.name != cells[i-1].fault.name || c.endpoint.service != cells[i-1].endpoint.service {
			all.WriteString(messagesOf(cells, c.fault, c.endpoint.service))
		}
	}
	if os.Getenv("UPDATE_MESSAGES") != "" {
		require.NoError(t, os.WriteFile(messages, []byte(all.String()), 0o600))
		return
	}
	require.Equal(t, savedMessages(t), all.String(), "UPDATE_MESSAGES=1 go test ./tests/faults writes the file")
}

// messagesOf has a line for each message of a fault, and the endpoints that have it, with their states.
func messagesOf(cells []cell, f fault, service string) string {
	var lines []string
	states := map[string][]string{}
	for _, c := range cells {
		if c.fault.name != f.name || c.endpoint.service != service {
			continue
		}
		message := "_the complete result_"
		if c.got.cutOff() {
			message = "_no message: the connection is closed within the download, which therefore fails_"
		} else if c.got.failed {
			message = durations.ReplaceAllString(c.got.text, "_…_")
		} else if !f.complete {
			message = "_" + f.exceptions[service+" "+c.endpoint.name] + "_"
		}
		if !slices.Contains(lines, message) {
			lines = append(lines, message)
		}
		states[message] = append(states[message], c.endpoint.name+" "+c.got.state())
	}
	text := fmt.Sprintf("%s, %s\n", service, f.name)
	for _, message := range lines {
		text += fmt.Sprintf("  %s\n    %s\n", message, strings.Join(states[message], ", "))
	}
	return text
}

// durations differ from run to run.
var durations = regexp.MustCompile(`(\d+h)?(\d+m)?\d+s\b`)
