package gateway

import (
	"net/http"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/internal/respond"
)

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

// refuse responds with an error.
func (f failure) refuse(w http.ResponseWriter) {
	orNull := func(s string) any {
		if s == "" {
			return nil
		}
		return s
	}
	respond.JSON(w, f.status, record{"error": record{
		"message": f.message, "type": "invalid_request_error", "param": orNull(f.param), "code": orNull(f.reason),
	}})
}

// seconds is a time in Unix milliseconds as records have it.
func seconds(t int64) int64 { return t / 1000 }
