package transport

import (
	"bytes"
	"io"
	"regexp"
	"strings"
)

// bearer is the value of an Authorization header.
var bearer = regexp.MustCompile(`(?i)\bbearer\s+\S+`)

// signature is what an HMAC-SHA256 looks like in raw URL-safe base64. It is no secret that could be known beforehand.
var signature = regexp.MustCompile(`[A-Za-z0-9_-]{43,}`)

// redact removes credentials from a text, should the platform echo one.
func (s Service) redact(text string) string {
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

const (
	// minSecretLength is the length from which a secret is looked for in data. A shorter one could be a word of it by chance.
	minSecretLength = 16
	// minReadSize is how many bytes are read at a time at least: more than any secret that is looked for.
	minReadSize = 16 << 10
)

// redactedBody overwrites secrets with stars wherever they are in a body, should the platform echo what it was sent. A body
// keeps its length. It is read as it comes: nothing but the beginning of what may be a secret is held back.
type redactedBody struct {
	io.ReadCloser
	secrets [][]byte
	// held is the beginning of a possible secret, at the end of what has been read.
	held []byte
	// ready has been redacted, and did not fit in where it was read to.
	ready []byte
	own   []byte
	err   error
}

// redactBody is a body without the secrets; those too short or too long to be distinguished from data are not looked for.
func redactBody(body io.ReadCloser, secrets []string) io.ReadCloser {
	m := &redactedBody{ReadCloser: body}
	for _, secret := range secrets {
		if len(secret) >= minSecretLength && len(secret) < minReadSize {
			m.secrets = append(m.secrets, []byte(secret))
		}
	}
	if len(m.secrets) == 0 {
		return body
	}
	return m
}

func (m *redactedBody) Read(p []byte) (int, error) {
	if len(m.ready) == 0 && len(p) >= minReadSize {
		return m.read(p)
	}
	if len(m.ready) == 0 {
		if m.own == nil {
			m.own = make([]byte, minReadSize)
		}
		n, err := m.read(m.own)
		m.ready, m.err = m.own[:n], err
	}
	n := copy(p, m.ready)
	m.ready = m.ready[n:]
	if len(m.ready) > 0 {
		return n, nil
	}
	return n, m.err
}

// read fills p, which has room for more than is ever held back.
func (m *redactedBody) read(p []byte) (int, error) {
	for {
		n := copy(p, m.held)
		more, err := m.ReadCloser.Read(p[n:])
		n += more
		m.held = m.held[:0]
		for _, secret := range m.secrets {
			overwrite(p[:n], secret)
		}
		if err != nil {
			return n, err
		}
		kept := m.beginning(p[:n])
		m.held = append(m.held, p[n-kept:n]...)
		if n > kept || len(p) == 0 {
			return n - kept, nil
		}
	}
}

// beginning is how many bytes at the end of text may be the beginning of a secret.
func (m *redactedBody) beginning(text []byte) int {
	most := 0
	for _, secret := range m.secrets {
		for n := min(len(secret)-1, len(text)); n > most; n-- {
			if bytes.HasPrefix(secret, text[len(text)-n:]) {
				most = n
			}
		}
	}
	return most
}

// overwrite puts stars in the place of each occurrence.
func overwrite(text, secret []byte) {
	for {
		at := bytes.Index(text, secret)
		if at < 0 {
			return
		}
		for i := range secret {
			text[at+i] = '*'
		}
		text = text[at+len(secret):]
	}
}
