package gateway

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Dialect is how a gateway writes what the convention leaves open. The zero value is OpenAI's way.
type Dialect struct {
	Times  string // a key of timeFormats; "" is seconds
	Errors string // one of [ErrorFormats]; "" is openai
}

// instant is a time in Unix milliseconds, which the dialect writes.
type instant int64

// timeFormats are the ways in which deployments write times.
var timeFormats = map[string]func(instant) any{
	"seconds":      func(t instant) any { return int64(t) / 1000 },
	"milliseconds": func(t instant) any { return int64(t) },
	"rfc3339":      func(t instant) any { return time.UnixMilli(int64(t)).UTC().Format("2006-01-02T15:04:05.000Z07:00") },
}

// errorFormats are the bodies in which deployments write errors. A string that isn't JSON is sent as plain text.
var errorFormats = map[string]func(failure) any{
	"openai": func(f failure) any {
		return record{"error": record{
			"message": f.message, "type": "invalid_request_error", "param": orNull(f.param), "code": orNull(f.reason),
		}}
	},
	"error":  func(f failure) any { return record{"error": f.message} },
	"detail": func(f failure) any { return record{"detail": f.message} },
	"detail-list": func(f failure) any {
		place := []string{"body"}
		if f.param != "" {
			place = append(place, strings.Split(f.param, ".")...)
		}
		return record{"detail": []record{{"loc": place, "msg": f.message, "type": f.reason}}}
	},
	"string": func(f failure) any { return f.message },
	"text":   func(f failure) any { return plainText(f.message) },
}

type plainText string

// ErrorFormats are the names of [Dialect.Errors].
var ErrorFormats = slices.Sorted(maps.Keys(errorFormats))

func (d Dialect) withDefaults() Dialect {
	if d.Times == "" {
		d.Times = "seconds"
	}
	if d.Errors == "" {
		d.Errors = "openai"
	}
	if timeFormats[d.Times] == nil || errorFormats[d.Errors] == nil {
		panic(fmt.Sprintf("gateway: no such dialect: %+v", d))
	}
	return d
}

// refuse responds with an error.
func (d Dialect) refuse(w http.ResponseWriter, f failure) {
	d.write(w, f.status, errorFormats[d.Errors](f))
}

// write responds with a value whose times are instants.
func (d Dialect) write(w http.ResponseWriter, status int, value any) {
	if text, ok := value.(plainText); ok {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(text)) // the client may have gone
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(d.translate(value)) // the client may have gone
}

// translate replaces the instants of a value. Other values stay as they are.
func (d Dialect) translate(value any) any {
	switch value := value.(type) {
	case instant:
		return timeFormats[d.Times](value)
	case record:
		translated := make(record, len(value))
		for name, member := range value {
			translated[name] = d.translate(member)
		}
		return translated
	case []record:
		translated := make([]any, len(value))
		for i, member := range value {
			translated[i] = d.translate(member)
		}
		return translated
	}
	return value
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}
