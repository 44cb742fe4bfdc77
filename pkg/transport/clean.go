package transport

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// maxReason bounds how much of the platform's own words goes into a message, in bytes.
const maxReason = 500

var address = regexp.MustCompile(`(?i)\b[a-z][a-z0-9+.-]*://[^\s"'<>]+`)

// bearer is the value of an Authorization header: a token, or a signature, which is no secret that we could know of.
var bearer = regexp.MustCompile(`(?i)\bbearer\s+\S+`)

// clean makes the platform's words fit for a user: one line, no address, no secret, not endless.
func (s Service) clean(reason string) string {
	reason = strings.Join(strings.Fields(reason), " ")
	return shorten(address.ReplaceAllString(s.mask(reason), "[address]"))
}

// mask hides credentials should the platform echo one.
func (s Service) mask(text string) string {
	text = bearer.ReplaceAllString(text, "[hidden]")
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
