package transport

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// maxReason bounds how much of the platform's own words goes into a message, in bytes.
const maxReason = 500

var address = regexp.MustCompile(`(?i)\b[a-z][a-z0-9+.-]*://[^\s"'<>]+`)

// clean makes the platform's words fit for a user: one line, no address, no secret, not endless.
func (s Service) clean(reason string) string {
	reason = strings.Join(strings.Fields(reason), " ")
	return shorten(address.ReplaceAllString(s.mask(reason), "[address]"))
}

// mask hides the service's secrets should the platform echo one.
func (s Service) mask(text string) string {
	for _, secret := range s.Secrets {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, "[hidden]")
		}
	}
	return text
}

func shorten(text string) string {
	if len(text) <= maxReason {
		return text
	}
	cut := maxReason
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}

func lowerFirst(text string) string {
	return strings.ToLower(text[:1]) + text[1:]
}
