package transport

import (
	"bytes"
	"encoding/json"
	"maps"
	"strings"
	"unicode"
	"unicode/utf8"
)

type errorBody struct {
	message string
	// errorType is that of the Prometheus HTTP API. If it is set, the error is the query engine's, about the user's query.
	errorType string
}

// timedOut reports whether the engine stopped a query after its time limit. VictoriaMetrics has the status as errorType, 422 or 503,
// and says so in the message.
func (b errorBody) timedOut() bool {
	return b.errorType == "timeout" || b.errorType != "" && strings.Contains(b.message, "timeout exceeded")
}

// maxPlainReason is the maximum length in bytes of a plain text that is shown as a message.
const maxPlainReason = 1000

// errorIn reads the known forms of error bodies: Prometheus' {status, errorType, error}, the platform's {code, message, reason}, and those
// of OpenAI-compatible gateways, {error: {message}}, {error}, {detail} and {detail: [{loc, msg}]}, whose list is the message as it is. For
// other forms the result is empty.
func errorIn(members map[string]json.RawMessage) errorBody {
	errorType := textOf(members["errorType"])
	if text := textOf(members["error"]); text != "" || errorType != "" {
		return errorBody{message: text, errorType: errorType}
	}
	var nested map[string]json.RawMessage
	_ = json.Unmarshal(members["error"], &nested)
	detail := textOf(members["detail"])
	if list := string(members["detail"]); strings.Contains(list, `"msg"`) {
		detail = list
	}
	for _, text := range []string{
		textOf(nested["message"]), textOf(members["message"]), textOf(members["reason"]), detail,
	} {
		if text != "" {
			return errorBody{message: text}
		}
	}
	return errorBody{}
}

// parseFailedBody reads the body of a response whose status is an error, where a JSON string or a short plain text is the message, too.
func parseFailedBody(body []byte) errorBody {
	var members map[string]json.RawMessage
	_ = json.Unmarshal(body, &members)
	if found := errorIn(members); found.message != "" || found.errorType != "" {
		return found
	}
	if text := textOf(body); text != "" {
		return errorBody{message: text}
	}
	body = bytes.TrimSpace(body)
	if len(body) > maxPlainReason || json.Valid(body) || bytes.ContainsAny(body, "<{[") || !utf8.Valid(body) || bytes.ContainsFunc(body, unprintable) {
		return errorBody{}
	}
	return errorBody{message: string(body)}
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) && !unicode.IsSpace(r) }

// textOf is a JSON string, or "".
func textOf(raw json.RawMessage) string {
	var text string
	_ = json.Unmarshal(raw, &text)
	return strings.TrimSpace(text)
}

// FromErrorBody is the error in the body of a response with the status 200, by its members, or nil if they have none of the known forms.
// Call it only for a body without the expected data, because a record may have a member "error" or "message".
func (s Service) FromErrorBody(members map[string]json.RawMessage) *Error {
	members = maps.Clone(members) // of which a long one is no message
	maps.DeleteFunc(members, func(_ string, member json.RawMessage) bool { return len(member) > maxErrorBody })
	parsed := errorIn(members)
	if parsed.message == "" && textOf(members["status"]) != "error" && members["code"] == nil {
		return nil
	}
	return &Error{Kind: ErrUnavailable, Message: s.Title + " sent an error with a success status" + s.because(parsed.message)}
}
