package transport

import (
	"bytes"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxReason bounds how much of the platform's own words goes into a message, in bytes.
const maxReason = 500

// maxRejection bounds what an engine says about a query, in bytes: it may quote the query, which can be long.
const maxRejection = 4000

var address = regexp.MustCompile(`(?i)\b[a-z][a-z0-9+.-]*://[^\s"'<>]+`)

// bearer is the value of an Authorization header: a token, or a signature, which is no secret that we could know of.
var bearer = regexp.MustCompile(`(?i)\bbearer\s+\S+`)

// clean makes the platform's words fit for a user: one line, no address, no secret, not endless.
func (s Service) clean(reason string) string {
	reason = strings.Join(strings.Fields(reason), " ")
	return shorten(address.ReplaceAllString(s.mask(reason), "[address]"), maxReason)
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

// alsoHiding is s that masks what one request was authorized with, too: nobody knows a signature before it is made.
func (s Service) alsoHiding(req *http.Request) Service {
	if !s.Signed || req == nil {
		return s
	}
	value := req.Header.Get("Authorization")
	value = value[strings.LastIndex(value, " ")+1:]
	s.Secrets = append(slices.Clone(s.Secrets), value, value[strings.LastIndex(value, ":")+1:])
	return s
}

// shortestMasked is the length from which a secret is looked for in data. A shorter one could be a word of it by chance.
const shortestMasked = 16

// Mask hides, in the whole body of an answer, what its request was authorized with, should the platform echo that.
func (c *Client) Mask(resp *http.Response, body []byte) []byte {
	for _, secret := range c.service.alsoHiding(resp.Request).Secrets {
		if len(secret) >= shortestMasked && bytes.Contains(body, []byte(secret)) {
			body = bytes.ReplaceAll(body, []byte(secret), []byte("[hidden]"))
		}
	}
	return body
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
