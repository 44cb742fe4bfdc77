package gateway

import "net/http"

// specification has the operations that the platform's specification names, by endpoint. Lists of files and jobs,
// events, metrics and models are the convention's, but not the specification's.
var specification = map[string]string{
	"files":        http.MethodPost,
	"file_content": http.MethodGet,
	"jobs":         http.MethodPost,
	"job":          http.MethodGet,
	"checkpoints":  http.MethodGet,
}

// specified returns what the specification has of an endpoint: nothing, or one method.
func specified(endpoint string, handlers methods) methods {
	method, ok := specification[endpoint]
	if !ok {
		return nil
	}
	return methods{method: handlers[method]}
}
