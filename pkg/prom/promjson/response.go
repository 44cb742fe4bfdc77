package promjson

// head is what all responses have beside their data.
type head struct {
	warnings, infos []string
	// partial is isPartial, as VictoriaMetrics sends it.
	partial bool
}

// unexplained is the error of a response without one.
const unexplained = "The query failed, and the result does not say why."

// response decodes a response, whose member "data" is decoded by data. Its error is the reader's, ErrMalformed or a Failure.
func (d *decoder) response(data func()) (head, error) {
	var h head
	var status string
	failure := Failure(unexplained)
	s := &d.scanner
	for name := range s.object("status", "errorType", "error", "warnings", "infos", "isPartial", "data") {
		switch name {
		case "status":
			status = s.text()
		case "errorType":
			s.text()
		case "error":
			if message := s.text(); message != "" {
				failure = Failure(message)
			}
		case "warnings":
			h.warnings = s.texts()
		case "infos":
			h.infos = s.texts()
		case "isPartial":
			h.partial = s.peek() == 't'
			s.skip()
		case "data":
			data()
		}
	}
	whole := s.atEnd()
	switch {
	case s.err != nil:
		return h, s.err
	case whole && status == "success":
		return h, nil
	case whole && status == "error":
		return h, failure
	}
	return h, ErrMalformed
}
