package promjson

import "errors"

// head is what all responses have beside their data.
type head struct {
	warnings, infos []string
	// partial is isPartial, as VictoriaMetrics sends it.
	partial bool
}

// members is the set of the members of an object that have been decoded.
type members uint8

const (
	memberStatus members = 1 << iota
	memberErrorType
	memberError
	memberWarnings
	memberInfos
	memberData
	memberResultType
	memberResult
)

// once adds a member, and returns an error if it is a duplicate.
func (m *members) once(member members) error {
	if *m&member != 0 {
		return ErrMalformed
	}
	*m |= member
	return nil
}

// unexplained is the error of a response without one.
const unexplained = "The query failed, and the result does not say why."

// response decodes a response, whose member "data" is decoded by data. Its error is the reader's, ErrMalformed or a *Failure.
func (d *decoder) response(data func() error) (head, error) {
	var h head
	var status string
	var failure Failure
	s := &d.scanner
	var seen members
	err := s.object(func(key []byte) error {
		var twice, err error
		switch string(key) {
		case "status":
			twice = seen.once(memberStatus)
			status, err = s.text()
		case "errorType":
			twice = seen.once(memberErrorType)
			failure.Type, err = s.text()
		case "error":
			twice = seen.once(memberError)
			failure.Message, err = s.text()
		case "warnings":
			twice = seen.once(memberWarnings)
			h.warnings, err = s.texts(maxTexts)
		case "infos":
			twice = seen.once(memberInfos)
			h.infos, err = s.texts(maxTexts)
		case "isPartial":
			h.partial = h.partial || s.peek() == 't'
			err = s.skip()
		case "data":
			twice = seen.once(memberData)
			err = data()
		default:
			err = s.skip()
		}
		return errors.Join(twice, err)
	})
	whole := err == nil && s.atEnd()
	switch {
	case s.readErr != nil:
		return h, s.readErr
	case whole && status == "success":
		return h, nil
	case whole && status == "error":
		if failure.Message == "" {
			failure.Message = unexplained
		}
		return h, &failure
	}
	return h, ErrMalformed
}
