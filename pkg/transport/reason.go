package transport

import "encoding/json"

// reason is what the platform says about a failure.
type reason struct {
	text string
	// errorType is the Prometheus API's: the query engine itself has answered, and the text is about the user's own query.
	errorType string
}

// errorTypeTimeout is what Prometheus calls a query that took longer than the engine allows.
const errorTypeTimeout = "timeout"

// parseReason finds the message in the error bodies that the platform's services are known to send:
// Prometheus' {status, errorType, error}, the platform's {code, message, reason} and the gateway's {error: {message}}.
// A body of another shape has no reason; it may be anybody's web page.
func parseReason(body []byte) reason {
	var known struct {
		Error     json.RawMessage `json:"error"`
		ErrorType string          `json:"errorType"`
		Message   string          `json:"message"`
		Reason    string          `json:"reason"`
	}
	if json.Unmarshal(body, &known) != nil {
		return reason{}
	}
	var text string
	if json.Unmarshal(known.Error, &text) == nil && text != "" || known.ErrorType != "" {
		return reason{text: text, errorType: known.ErrorType}
	}
	var nested struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(known.Error, &nested) == nil && nested.Message != "" {
		return reason{text: nested.Message}
	}
	if known.Message != "" {
		return reason{text: known.Message}
	}
	return reason{text: known.Reason}
}
