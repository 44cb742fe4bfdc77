package scenes

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/value"
	"github.com/prometheus/prometheus/promql/parser"
)

// Start is the time 0 of a scene that is not moved.
var Start = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// Scene is a file.
type Scene struct {
	Series      []Series
	Evaluations []*Evaluation
	// start is the time 0.
	start time.Time
	// lists are the bodies of responses to GET requests, by path.
	lists map[string]string
	// settings are settings of the data source, as JSON.
	settings string
}

// Series has samples in the order of time.
type Series struct {
	Labels  labels.Labels
	Samples []Sample
}

// Sample is a float.
type Sample struct {
	At    time.Time
	Value float64
}

// Evaluation is a query and its expected result.
type Evaluation struct {
	// Name is the line of the file.
	Name string

	kind, uid, title, refID string
	variables               map[string]string
	// start is that of the scene.
	start, from, to time.Time
	// step is 0 for an instant query.
	step time.Duration
	// saved is the JSON of a query of the file's own.
	saved    string
	expected []string
	// inOrder reports that rows come in the order of expected.
	inOrder bool
}

// Subject is what is evaluated: the query of a dashboard or a rule, or what one of the file's own computes.
func (e *Evaluation) Subject() string {
	computes := computing.FindAllString(e.saved, -1)
	if computes == nil {
		computes = []string{e.saved}
	}
	return strings.Join(append(computes, e.kind, e.uid, e.title, e.refID), " ")
}

var (
	computing = regexp.MustCompile(`"(queryType|kind|format|axis|measures)": *("\w+"|\[[^]]*\])`)
	loadLine  = regexp.MustCompile(`^load (\S+)(?: from (\S+))?$`)
	getLine   = regexp.MustCompile(`^get (/\S+)$`)
	evalLine  = regexp.MustCompile(`^eval (panel|variable|rule|record|query)(?: ([^\s"]+))?(?: "([^"]+)"(?: ([A-Z]))?)?(?: with (.+?))? ` +
		`(?:at (\S+)(?: over (\S+))?|from (\S+) to (\S+) step (\S+))$`)
	variableOf = regexp.MustCompile(`(\w+)=(?:"([^"]*)"|(\S+))`)
	// numbered is a range of numbers in a label's value, each of which makes a series.
	numbered = regexp.MustCompile(`"([^"]*?)(\d+)\.\.(\d+)"`)
	// since is a time of the scene, in the JSON of a service or a query.
	since = regexp.MustCompile(`"<(\w+)( RFC3339)?>"`)
	// written is the date of Start, or a time on that day in Unix seconds or milliseconds.
	written = regexp.MustCompile(`2000-01-01|\b9466[89]\d{4}(?:000)?\b`)
)

// Read reads a file. The scene begins at a time, so that an engine can have the samples of many.
func Read(file string, start time.Time) (*Scene, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	s := &Scene{start: start, lists: map[string]string{}}
	block := func(string) error { return errors.New("an indented line below none") }
	for i, line := range strings.Split(s.moved(string(text)), "\n") {
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "" || strings.HasPrefix(trimmed, "#"):
			continue
		case line == trimmed:
			block, err = s.begin(line)
		default:
			err = block(trimmed)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, i+1, err)
		}
	}
	if len(s.Evaluations) == 0 {
		return nil, fmt.Errorf("%s: nothing is evaluated", file)
	}
	return s, nil
}

// moved replaces the times that are written for a scene at Start.
func (s *Scene) moved(text string) string {
	return written.ReplaceAllStringFunc(text, func(found string) string {
		at, err := strconv.ParseInt(found, 10, 64)
		switch by := s.start.Sub(Start); {
		case err != nil:
			return s.start.Format(time.DateOnly)
		case len(found) > len("946684800"): // milliseconds
			return strconv.FormatInt(at+by.Milliseconds(), 10)
		default:
			return strconv.FormatInt(at+int64(by.Seconds()), 10)
		}
	})
}

// begin reads a line that is not indented, and returns what reads the lines below it.
func (s *Scene) begin(line string) (func(string) error, error) {
	if found := loadLine.FindStringSubmatch(line); found != nil {
		step, err := model.ParseDuration(found[1])
		if err != nil || found[2] == "" {
			return s.load(0, time.Duration(step)), err
		}
		from, err := model.ParseDuration(found[2])
		return s.load(time.Duration(from), time.Duration(step)), err
	}
	if found := getLine.FindStringSubmatch(line); found != nil {
		return func(line string) error { s.lists[found[1]] += inUnixTime(s.start, line) + "\n"; return nil }, nil
	}
	if line == "settings" {
		return func(line string) error { s.settings += line + "\n"; return nil }, nil
	}
	found := evalLine.FindStringSubmatch(line)
	if found == nil {
		return nil, errors.New("neither load, get, settings nor eval")
	}
	e := &Evaluation{Name: line, kind: found[1], uid: found[2], title: found[3], refID: found[4], variables: map[string]string{}, start: s.start}
	for _, pair := range variableOf.FindAllStringSubmatch(found[5], -1) {
		e.variables[pair[1]] = pair[2] + pair[3]
	}
	s.Evaluations = append(s.Evaluations, e)
	return e.below(), e.times(found[6:])
}

// times are the parts of `at 60m over 30m` or `from 0s to 60m step 1m`, of which those that are missing are blank.
func (e *Evaluation) times(parts []string) error {
	durations := make([]time.Duration, len(parts))
	for i, part := range parts {
		if part != "" {
			d, err := model.ParseDuration(part)
			if err != nil {
				return err
			}
			durations[i] = time.Duration(d)
		}
	}
	at, over, from, to, step := durations[0], durations[1], durations[2], durations[3], durations[4]
	e.from, e.to, e.step = e.start.Add(from), e.start.Add(to), step
	if parts[0] != "" {
		e.from, e.to = e.start, e.start.Add(at)
	}
	if over > 0 {
		e.from = e.to.Add(-over)
	}
	return nil
}

// below reads what is below an evaluation: a query of the file's own ends with the line `expect`.
func (e *Evaluation) below() func(string) error {
	inQuery := e.kind == "query"
	return func(line string) error {
		switch {
		case inQuery && (line == "expect" || line == "expect in order"):
			inQuery, e.inOrder = false, line != "expect"
		case inQuery:
			e.saved += inUnixTime(e.start, line) + "\n"
		default:
			e.expected = append(e.expected, expand(line)...)
		}
		return nil
	}
}

// load reads a series in the notation of promqltest.
func (s *Scene) load(from, step time.Duration) func(string) error {
	descriptions := parser.NewParser(parser.Options{})
	return func(line string) error {
		for _, one := range expand(line) {
			identity, values, err := descriptions.ParseSeriesDesc(one)
			if err != nil {
				return err
			}
			series := Series{Labels: identity}
			for i, v := range values {
				switch {
				case v.Histogram != nil || value.IsStaleNaN(v.Value):
					return errors.New("only numbers and omitted samples are supported")
				case !v.Omitted:
					series.Samples = append(series.Samples, Sample{s.start.Add(from + time.Duration(i)*step), v.Value})
				}
			}
			s.Series = append(s.Series, series)
		}
		return nil
	}
}

// expand makes a line of each number of the first range in a label's value, and so on.
func expand(line string) []string {
	at := numbered.FindStringSubmatchIndex(line)
	if at == nil {
		return []string{line}
	}
	first, _ := strconv.Atoi(line[at[4]:at[5]])
	last, _ := strconv.Atoi(line[at[6]:at[7]])
	var lines []string
	for n := first; n <= last; n++ {
		lines = append(lines, expand(line[:at[4]]+strconv.Itoa(n)+line[at[7]:])...)
	}
	return lines
}

// inUnixTime replaces the times of a scene in JSON: "<90m>" with seconds, "<90m RFC3339>" with a text.
func inUnixTime(start time.Time, line string) string {
	return since.ReplaceAllStringFunc(line, func(found string) string {
		parts := since.FindStringSubmatch(found)
		d, err := model.ParseDuration(parts[1])
		if err != nil {
			return found
		}
		at := start.Add(time.Duration(d))
		if parts[2] != "" {
			return strconv.Quote(at.Format(time.RFC3339))
		}
		return strconv.FormatInt(at.Unix(), 10)
	})
}

// With sets settings of the data source, as JSON.
func (s *Scene) With(settings string) *Scene {
	s.settings = settings
	return s
}
