package transport

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// bearer matches the value of an Authorization header.
var bearer = regexp.MustCompile(`(?i)\bbearer\s+\S+`)

// signature matches an HMAC-SHA256 in raw URL-safe base64. Each request has another one.
var signature = regexp.MustCompile(`[A-Za-z0-9_-]{43,}`)

// overwritten matches a secret of a body that redactBody has overwritten.
var overwritten = regexp.MustCompile(fmt.Sprintf(`\*{%d,}`, minBodySecretLength))

func (s Service) redact(text string) string {
	text = bearer.ReplaceAllString(overwritten.ReplaceAllString(text, "[hidden]"), "[hidden]")
	if s.Signed {
		text = signature.ReplaceAllString(text, "[hidden]")
	}
	for _, secret := range slices.Concat(s.Private, s.Secrets) { // those first that begin with others
		if secret != "" {
			text = strings.ReplaceAll(text, secret, "[hidden]")
		}
	}
	return text
}

// maxReason bounds the part of an error that is the platform's message, in bytes.
const maxReason = 500

// server matches the address of a server: of IPv4 and IPv6, a name with a port, a name of three parts or more, and one that ends as names
// within a network do. Metrics and recording rules have none of these.
const server = `(?i:\[(?:[0-9a-f]{0,4}:){2,}[0-9a-f:.%]*\](?::\d+)?` +
	`|\b(?:\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?|(?:[0-9a-f]{1,4}:)+:[0-9a-f:]*[0-9a-f]` +
	`|[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)*:\d{3,5}` +
	`|[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)*\.(?:[a-z0-9-]+\.[a-z]{2,}|local|internal|intranet|lan|corp|svc))\b)`

var (
	// address matches a URL.
	address = regexp.MustCompile(`(?i)\b[a-z][a-z0-9+.-]*://[^\s"'<>]+`)
	// inText matches the label matchers of a query that a message quotes, and servers. inMatchers matches a quoted name or value in these
	// matchers, and servers.
	inText     = regexp.MustCompile(`\{[^{}]*\}|` + server)
	inMatchers = regexp.MustCompile(`(?:[=~]|^\{)\s*\\?["'](?:[^"'\\]|\\[^"'])*\\?["']\s*[,}]|` + server)
	// requestLine matches a path with its query string.
	requestLine = regexp.MustCompile(`(^|[\s"'])/[^\s"'?]*\?[^\s"']+`)
)

// sanitize makes a message of the platform one short line without addresses and secrets.
func (s Service) sanitize(reason string) string {
	return Shorten(s.withoutAddresses(strings.Join(strings.Fields(reason), " ")), maxReason)
}

// withoutAddresses removes credentials, URLs, addresses of servers, and query strings from a text.
func (s Service) withoutAddresses(text string) string {
	text = address.ReplaceAllString(s.redact(text), "[address]")
	if s.Host != "" {
		text = strings.ReplaceAll(text, s.Host, "[address]")
	}
	text = requestLine.ReplaceAllString(text, "$1[address]")
	return inText.ReplaceAllStringFunc(text, func(found string) string {
		if found[0] != '{' {
			return "[address]"
		}
		return inMatchers.ReplaceAllStringFunc(found, func(found string) string {
			if strings.ContainsAny(found[:1], "=~{") {
				return found
			}
			return "[address]"
		})
	})
}

// Shorten cuts a text to at most that many bytes, between two characters.
func Shorten(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

const (
	// minBodySecretLength is the minimum length of a secret that is redacted in response bodies. Shorter ones may match by chance.
	minBodySecretLength = 16
	// maxBodySecretLength is less than what is read ahead of a body. Headers, which secrets are sent in, are shorter.
	maxBodySecretLength = 16 << 10
)

// redactedBody overwrites secrets in a body with stars. It does not change the length of the body, and holds back only the possible
// beginning of a secret.
type redactedBody struct {
	io.Closer
	ahead   *bufio.Reader
	secrets [][]byte
	// ready is how much of what was read ahead is redacted and may be read.
	ready int
	err   error
}

// redactBody redacts the secrets that are neither shorter than minBodySecretLength nor as long as maxBodySecretLength.
func redactBody(body io.ReadCloser, secrets []string) io.ReadCloser {
	b := &redactedBody{Closer: body}
	for _, secret := range secrets {
		if len(secret) >= minBodySecretLength && len(secret) < maxBodySecretLength {
			b.secrets = append(b.secrets, []byte(secret))
		}
	}
	if len(b.secrets) == 0 {
		return body
	}
	slices.SortFunc(b.secrets, func(a, b []byte) int { return len(b) - len(a) }) // one may begin with another
	b.ahead = bufio.NewReaderSize(body, 2*maxBodySecretLength)
	return b
}

func (b *redactedBody) Read(p []byte) (int, error) {
	for b.ready == 0 {
		if b.err != nil {
			return 0, b.err
		}
		_, b.err = b.ahead.Peek(b.ahead.Buffered() + 1)
		text, _ := b.ahead.Peek(b.ahead.Buffered())
		b.ready = len(text)
		if b.err == nil {
			b.ready -= b.partialSecret(text)
		}
		for _, secret := range b.secrets {
			overwrite(text, secret, b.ready)
		}
	}
	n, err := b.ahead.Read(p[:min(len(p), b.ready)])
	b.ready -= n
	return n, err
}

// partialSecret is the number of bytes at the end of text that may be the beginning of a secret.
func (b *redactedBody) partialSecret(text []byte) int {
	most := 0
	for _, secret := range b.secrets {
		for n := min(len(secret)-1, len(text)); n > most; n-- {
			if bytes.HasPrefix(secret, text[len(text)-n:]) {
				most = n
			}
		}
	}
	return most
}

// overwrite replaces each occurrence of a secret that begins before a position with stars. What begins later may be part of a longer one.
func overwrite(text, secret []byte, before int) {
	for at := 0; ; at += len(secret) {
		next := bytes.Index(text[at:], secret)
		if at += next; next < 0 || at >= before {
			return
		}
		for i := range secret {
			text[at+i] = '*'
		}
	}
}
