package transport

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// errorBody is what the platform says about a failure.
type errorBody struct {
	text string
	// errorType is the Prometheus API's: the query engine itself has answered, and the text is about the user's own query.
	errorType string
}

// errorTypeTimeout is what Prometheus calls a query that took longer than the engine allows.
const errorTypeTimeout = "timeout"

// maxPlainReason is the longest plain text that is taken for a reason, in bytes. What is longer is a page.
const maxPlainReason = 1000

// parseErrorBody finds the message in the error bodies that the platform's services are known to send:
// Prometheus' {status, errorType, error}, the platform's {code, message, reason}, and of OpenAI-style gateways
// {error: {message}}, {error}, {detail} and {detail: [{loc, msg}]}.
// A body of another form has no text.
func parseErrorBody(body []byte) errorBody {
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil {
		return errorBody{}
	}
	errorType := textOf(members["errorType"])
	if text := textOf(members["error"]); text != "" || errorType != "" {
		return errorBody{text: text, errorType: errorType}
	}
	var nested map[string]json.RawMessage
	_ = json.Unmarshal(members["error"], &nested)
	for _, text := range []string{
		textOf(nested["message"]), textOf(members["message"]), textOf(members["reason"]), textOf(members["detail"]), validationErrors(members["detail"]),
	} {
		if text != "" {
			return errorBody{text: text}
		}
	}
	return errorBody{}
}

// parseFailedBody is parseErrorBody for a body that is known to be an error's, so that a JSON string or a short plain text is a
// reason too.
func parseFailedBody(body []byte) errorBody {
	if found := parseErrorBody(body); found.text != "" || found.errorType != "" {
		return found
	}
	if text := textOf(body); text != "" {
		return errorBody{text: text}
	}
	body = bytes.TrimSpace(body)
	if len(body) > maxPlainReason || json.Valid(body) || bytes.ContainsAny(body, "<{[") || !utf8.Valid(body) || bytes.ContainsFunc(body, unprintable) {
		return errorBody{}
	}
	return errorBody{text: string(body)}
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) && !unicode.IsSpace(r) }

// textOf is a JSON string, or "".
func textOf(raw json.RawMessage) string {
	var text string
	_ = json.Unmarshal(raw, &text)
	return strings.TrimSpace(text)
}

// validationErrors writes what a validation found: "query.limit: must be at most 100".
//
// Format: FastAPI's 422, https://fastapi.tiangolo.com/tutorial/handling-errors/
func validationErrors(raw json.RawMessage) string {
	var found []struct {
		Location []any  `json:"loc"`
		Message  string `json:"msg"`
	}
	if json.Unmarshal(raw, &found) != nil {
		return ""
	}
	var texts []string
	for _, one := range found {
		var at []string
		for _, part := range one.Location {
			at = append(at, fmt.Sprint(part))
		}
		switch {
		case one.Message == "":
		case len(at) == 0:
			texts = append(texts, one.Message)
		default:
			texts = append(texts, strings.Join(at, ".")+": "+one.Message)
		}
	}
	return strings.Join(texts, "; ")
}

// FromErrorBody finds a failure in the body of an answer whose status says success, in the shapes that the platform's services
// are known to use. It returns nil if there is none. Ask only about a body that lacks what it should hold: a record may
// have a member "error" or "message" of its own.
func (s Service) FromErrorBody(body []byte) *Error {
	said := parseErrorBody(body)
	var known struct {
		Status string          `json:"status"`
		Code   json.RawMessage `json:"code"`
	}
	isObject := json.Unmarshal(body, &known) == nil
	if !isObject || said.text == "" && known.Status != "error" && known.Code == nil {
		return nil
	}
	return &Error{Kind: ErrUnavailable, Message: s.Title + " sent a failure as if it were an answer" + s.because(said.text)}
}

// maxReason bounds how much of the platform's own words goes into a message, in bytes.
const maxReason = 500

// maxRejection bounds what an engine says about a query, in bytes: it may quote the query, which can be long.
const maxRejection = 4000

var address = regexp.MustCompile(`(?i)\b[a-z][a-z0-9+.-]*://[^\s"'<>]+`)

// sanitize makes the platform's words fit for a user: one line, no address, no secret, not endless.
func (s Service) sanitize(reason string) string {
	reason = strings.Join(strings.Fields(reason), " ")
	reason = address.ReplaceAllString(s.redact(reason), "[address]")
	if s.Host != "" {
		reason = strings.ReplaceAll(reason, s.Host, "[address]")
	}
	return shorten(reason, maxReason)
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
