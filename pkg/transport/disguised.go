package transport

import "encoding/json"

// Disguised finds a failure in the body of an answer whose status says success, in the shapes that the platform's services
// are known to use. It returns nil if there is none. Ask only about a body that lacks what it should hold: a record may
// have a member "error" or "message" of its own.
func (s Service) Disguised(body []byte) *Error {
	said := parseReason(body)
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
