package transport

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// maxReason bounds how much of the platform's own words goes into a message, in bytes.
const maxReason = 500

// maxRejection bounds what an engine says about a query, in bytes: it may quote the query, which can be long.
const maxRejection = 4000

var address = regexp.MustCompile(`(?i)\b[a-z][a-z0-9+.-]*://[^\s"'<>]+`)

// bearer is the value of an Authorization header.
var bearer = regexp.MustCompile(`(?i)\bbearer\s+\S+`)

// signature is what an HMAC-SHA256 looks like in raw URL-safe base64. It is no secret that could be known beforehand.
var signature = regexp.MustCompile(`[A-Za-z0-9_-]{43,}`)

// clean makes the platform's words fit for a user: one line, no address, no secret, not endless.
func (s Service) clean(reason string) string {
	reason = strings.Join(strings.Fields(reason), " ")
	reason = address.ReplaceAllString(s.mask(reason), "[address]")
	if s.Host != "" {
		reason = strings.ReplaceAll(reason, s.Host, "[address]")
	}
	return shorten(reason, maxReason)
}

// mask hides credentials should the platform echo one.
func (s Service) mask(text string) string {
	text = bearer.ReplaceAllString(text, "[hidden]")
	if s.Signed {
		text = signature.ReplaceAllString(text, "[hidden]")
	}
	for _, some := range [][]string{s.Secrets, s.Private} {
		for _, secret := range some {
			if secret != "" {
				text = strings.ReplaceAll(text, secret, "[hidden]")
			}
		}
	}
	return text
}

// shorten cuts a text to that many bytes, and between two characters.
func shorten(text string, most int) string {
	if len(text) <= most {
		return text
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}

func lowerFirst(text string) string {
	return strings.ToLower(text[:1]) + text[1:]
}
