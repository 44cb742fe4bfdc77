package query

import (
	"fmt"
	"strings"
)

const (
	// maxListed bounds the names that [List] writes.
	maxListed = 10
	// maxName bounds a name in a message, in characters.
	maxName = 80
)

// Plural writes a number with a noun: "1 job", "2 jobs".
func Plural(count int, noun string) string {
	if count == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", count, noun)
}

// List writes the first names of a list for a message, and how many more there are.
func List(names []string) string {
	short := make([]string, 0, maxListed+1)
	for _, name := range names[:min(len(names), maxListed)] {
		short = append(short, Shorten(name))
	}
	if more := len(names) - maxListed; more > 0 {
		short = append(short, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(short, ", ")
}

// Shorten cuts a name for a message.
func Shorten(name string) string { return Cut(name, maxName) }

// Cut cuts a text to at most that many characters.
func Cut(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}
