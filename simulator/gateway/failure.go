package gateway

import "net/http"

// record is an object as it is written in JSON.
type record map[string]any

// failure is a response that is an error; param and code may be "".
type failure struct {
	status        int
	message       string
	param, reason string
}

// invalid is a request that can't be understood or granted.
func invalid(param, message string) failure {
	return failure{http.StatusBadRequest, message, param, "invalid_value"}
}

func notFound(what, id string) failure {
	return failure{http.StatusNotFound, "No such " + what + ": " + id, "", "not_found"}
}
