package promjson_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"strconv"
	"time"

	"github.com/prometheus/prometheus/promql/parser"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promjson"
)

// response is a response as the reference decodes it. A malformed one has nothing but the error.
type response struct {
	kind               parser.ValueType
	series             []series
	warnings, infos    []string
	errorType, message string
	err                error
}

type series struct {
	labels map[string]string
	times  []time.Time
	values []float64
	text   string // of a scalar or a text, in place of values
	// cells are the buckets of native histograms, in place of samples.
	cells   []cell
	isCells bool
}

type cell struct {
	at                time.Time
	layout            int8
	lower, upper, sum float64
}

// member is a member of an object. Objects are lists of members, because maps would hide duplicates.
type member struct {
	name  string
	value any
}

type object []member

// malformed is the panic that ends decoding, so that the reference needs no error handling.
type malformed struct{}

func must(ok bool) {
	if !ok {
		panic(malformed{})
	}
}

// read is the reference decoder: encoding/json parses the JSON and its strings, and the rest walks the tree.
func read(body []byte) (a response) {
	defer func() {
		if cause := recover(); cause != nil {
			if _, ok := cause.(malformed); !ok {
				panic(cause)
			}
			a = response{err: promjson.ErrMalformed}
		}
	}()
	must(json.Valid(body))
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	top, ok := tree(decoder).(object)
	must(ok)
	status := text(top, "status")
	a.errorType, a.message = text(top, "errorType"), text(top, "error")
	a.warnings, a.infos = texts(top, "warnings"), texts(top, "infos")
	isPartial := only(top, "isPartial") == true
	data, found := only(top, "data").(object)
	must(found || only(top, "data") == nil)
	kind := text(data, "resultType")
	// All parts are decoded before the status, because an error response must be well-formed, too.
	r := readResult(only(data, "result"), has(data, "result"))
	switch status {
	case "error":
		if a.message == "" {
			a.message = "The query failed, and the result does not say why."
		}
		return a
	case "success":
		a.errorType, a.message = "", ""
		if isPartial {
			a.warnings = append(a.warnings, "The platform could not reach all of its data, so this result is partial.")
		}
	default:
		must(false)
	}
	a.kind = parser.ValueType(kind)
	switch a.kind {
	case parser.ValueTypeMatrix:
		must(r.form == "values" || r.form == "empty")
	case parser.ValueTypeVector:
		must(r.form == "value" || r.form == "empty")
	case parser.ValueTypeScalar:
		must(r.form == "single")
		r.series[0].values = []float64{float(r.series[0].text)}
		r.series[0].text = ""
	case parser.ValueTypeString:
		must(r.form == "single")
		a.message = "The expression is a text, which has no samples."
	default:
		must(false)
	}
	a.series = r.series
	return a
}

type result struct {
	form   string // values, value, single, empty, or "" for none
	series []series
}

func readResult(value any, there bool) (r result) {
	if !there {
		return r
	}
	list, ok := value.([]any)
	must(ok || value == nil)
	if len(list) == 0 {
		return result{form: "empty"}
	}
	if _, isSeries := list[0].(object); !isSeries {
		at, text := pair(list)
		return result{form: "single", series: []series{{labels: map[string]string{}, times: []time.Time{at}, text: text}}}
	}
	for _, element := range list {
		members, ok := element.(object)
		must(ok)
		some, form := readSeries(members)
		must(r.form == "" || r.form == form)
		r.form = form
		r.series = append(r.series, some...)
	}
	return r
}

// readSeries decodes the frames of a series: that of its native histograms, and that of its samples.
func readSeries(members object) (frames []series, form string) {
	var s series
	s.labels = map[string]string{}
	if has(members, "metric") {
		labels, ok := only(members, "metric").(object)
		must(ok)
		for _, label := range labels {
			_, twice := s.labels[label.name]
			value, ok := label.value.(string)
			must(ok && !twice)
			s.labels[label.name] = value
		}
		maps.DeleteFunc(s.labels, func(_, value string) bool { return value == "" })
	}
	must(!has(members, "values") || !has(members, "value"))
	must(!has(members, "histograms") || !has(members, "histogram"))
	var samples []any
	switch {
	case has(members, "values"):
		list, ok := only(members, "values").([]any)
		must(ok)
		samples, form = list, "values"
	case has(members, "value"):
		samples, form = []any{only(members, "value")}, "value"
	}
	for _, sample := range samples {
		list, ok := sample.([]any)
		must(ok)
		at, text := pair(list)
		s.times, s.values = append(s.times, at), append(s.values, float(text))
	}
	for name, standsFor := range map[string]string{"histograms": "values", "histogram": "value"} {
		if has(members, name) {
			must(form == "" || form == standsFor)
			form = standsFor
			if list, ok := only(members, name).([]any); !ok || len(list) > 0 {
				frames = []series{{labels: s.labels, cells: cells(list, name), isCells: true}}
			}
		}
	}
	must(form != "")
	if len(s.times) > 0 { // series without samples are left out
		frames = append(frames, s)
	}
	return frames, form
}

// cells decodes [seconds, {…, "buckets": […]}], or a list of them.
func cells(list []any, name string) (read []cell) {
	must(list != nil)
	if name == "histogram" {
		list = []any{list}
	}
	for _, element := range list {
		pair, ok := element.([]any)
		must(ok && len(pair) == 2)
		histogram, ok := pair[1].(object)
		must(ok)
		for _, sum := range []string{"count", "sum"} {
			if has(histogram, sum) {
				text, ok := only(histogram, sum).(string)
				must(ok)
				float(text)
			}
		}
		buckets, ok := only(histogram, "buckets").([]any)
		must(ok || !has(histogram, "buckets"))
		at := timestamp(pair[0])
		for _, bucket := range buckets {
			parts, ok := bucket.([]any)
			must(ok && len(parts) == 4)
			number, ok := parts[0].(json.Number)
			must(ok)
			layout, err := strconv.ParseInt(number.String(), 10, 8)
			must(err == nil)
			var numbers [3]float64
			for i := range numbers {
				text, ok := parts[i+1].(string)
				must(ok)
				numbers[i] = float(text)
			}
			read = append(read, cell{at, int8(layout), numbers[0], numbers[1], numbers[2]})
		}
	}
	return read
}

// pair decodes [seconds, "text"].
func pair(list []any) (time.Time, string) {
	must(len(list) == 2)
	at := timestamp(list[0])
	text, ok := list[1].(string)
	must(ok)
	return at, text
}

// timestamp decodes a number of seconds.
func timestamp(value any) time.Time {
	number, ok := value.(json.Number)
	must(ok)
	seconds, _ := strconv.ParseFloat(number.String(), 64) // out of range it is infinite, which the check below rejects
	millis := math.Round(seconds * 1000)
	must(math.Abs(millis) <= math.MaxInt64/1_000_000)
	return time.UnixMilli(int64(millis)).UTC()
}

func float(text string) float64 {
	value, err := strconv.ParseFloat(text, 64)
	must(err == nil || math.IsInf(value, 0))
	return value
}

func has(o object, name string) bool {
	for _, m := range o {
		if m.name == name {
			return true
		}
	}
	return false
}

// only is the value of a member, which must not be duplicated; nil if it is missing.
func only(o object, name string) any {
	var value any
	times := 0
	for _, m := range o {
		if m.name == name {
			value = m.value
			times++
		}
	}
	must(times <= 1)
	return value
}

func text(o object, name string) string {
	value := only(o, name)
	text, ok := value.(string)
	must(ok || value == nil)
	return text
}

func texts(o object, name string) []string {
	value := only(o, name)
	list, ok := value.([]any)
	must(ok || value == nil)
	var texts []string
	for _, element := range list {
		text, ok := element.(string)
		must(ok)
		texts = append(texts, text)
	}
	return texts
}

// tree decodes one value. The body is valid JSON.
func tree(decoder *json.Decoder) any {
	token, err := decoder.Token()
	must(err == nil)
	switch token {
	case json.Delim('{'):
		o := object{}
		for decoder.More() {
			name, err := decoder.Token()
			must(err == nil)
			o = append(o, member{name.(string), tree(decoder)})
		}
		_, err := decoder.Token()
		must(err == nil)
		return o
	case json.Delim('['):
		list := []any{}
		for decoder.More() {
			list = append(list, tree(decoder))
		}
		_, err := decoder.Token()
		must(err == nil)
		return list
	}
	return token
}
