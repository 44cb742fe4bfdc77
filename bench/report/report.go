package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Report is everything measured in one run.
type Report struct {
	Origin
	// Latency is what each response of the platform took at least, in milliseconds, where a row does not say otherwise.
	Latency float64 `json:"latency"`
	Rows    []Row   `json:"rows"`
	// Notes say what could not be measured, and why.
	Notes []string `json:"notes,omitempty"`
}

// Note adds a note.
func (r *Report) Note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

// Row is one thing measured.
type Row struct {
	// Group is what the row is a part of, What the thing itself.
	Group string `json:"group"`
	What  string `json:"what"`
	Ours  Figure `json:"ours"`
	// Compared is the same of what it is compared with, and Ratio is Ours divided by it; absent where nothing is compared.
	Compared *Figure `json:"compared,omitempty"`
	Ratio    float64 `json:"ratio,omitempty"`
	// Goal is what is to be reached, and Reached whether it was; absent where there is no goal.
	Goal    string `json:"goal,omitempty"`
	Reached *bool  `json:"reached,omitempty"`
}

// Goal is what a ratio, or a figure that is not compared, is to reach. The zero value is none.
type Goal struct {
	text    string
	reached func(float64) bool
}

// AtLeast is the goal of a ratio that is the better the higher it is.
func AtLeast(limit float64) Goal {
	return Goal{"≥ " + ratio(limit), func(r float64) bool { return r >= limit }}
}

// AtMost is the goal of a ratio that is the better the lower it is.
func AtMost(limit float64) Goal {
	return Goal{"≤ " + ratio(limit), func(r float64) bool { return r <= limit }}
}

// NoMore is the goal of a figure that is not compared.
func NoMore(limit Figure) Goal {
	return Goal{"≤ " + limit.String(), func(value float64) bool { return value <= limit.Value }}
}

// NoLess is the goal of a figure that is not compared, and that is the better the higher it is.
func NoLess(limit Figure) Goal {
	return Goal{"≥ " + limit.String(), func(value float64) bool { return value >= limit.Value }}
}

// Group adds rows under one heading.
type Group struct {
	report *Report
	name   string
}

// Group begins a group of rows.
func (r *Report) Group(format string, args ...any) Group {
	return Group{r, fmt.Sprintf(format, args...)}
}

// Figure adds a row that is compared with nothing.
func (g Group) Figure(what string, ours Figure, goal Goal) {
	g.add(Row{What: what, Ours: ours}, ours.Value, goal)
}

// Compare adds a row that is compared with another figure of the same unit.
func (g Group) Compare(what string, ours, compared Figure, goal Goal) {
	r := ours.Value / compared.Value
	g.add(Row{What: what, Ours: ours, Compared: &compared, Ratio: r}, r, goal)
}

func (g Group) add(row Row, judged float64, goal Goal) {
	row.Group = g.name
	if goal.reached != nil {
		reached := goal.reached(judged)
		row.Goal, row.Reached = goal.text, &reached
	}
	g.report.Rows = append(g.report.Rows, row)
}

// Missed are the rows whose goals were not reached, in words.
func (r *Report) Missed() []string {
	var missed []string
	for _, row := range r.Rows {
		if row.Reached != nil && !*row.Reached {
			missed = append(missed, fmt.Sprintf("%s: %s, goal %s", row.Group, row.What, row.Goal))
		}
	}
	return missed
}

// WriteJSON writes the report for programs.
func (r *Report) WriteJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(r)
}

// heading stands for a group's, so that long ones don't make the first column wide.
const heading = "\x00"

// WriteText writes the report as a table.
func (r *Report) WriteText(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "%s\nThe platform responds after %s.\n", r.Origin, Figure{r.Latency, Milliseconds}); err != nil {
		return err
	}
	for _, note := range r.Notes {
		if _, err := fmt.Fprintln(w, note); err != nil {
			return err
		}
	}
	var aligned bytes.Buffer
	table := tabwriter.NewWriter(&aligned, 0, 0, 2, ' ', 0)
	line(table, "", "ours", "compared", "ratio", "goal", "")
	var groups []string
	for _, row := range r.Rows {
		if len(groups) == 0 || groups[len(groups)-1] != row.Group {
			groups = append(groups, row.Group)
			line(table, "", "", "", "", "", "")
			line(table, heading, "", "", "", "", "")
		}
		line(table, row.cells()...)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for text := range strings.Lines(aligned.String()) {
		if strings.HasPrefix(text, heading) {
			text, groups = groups[0], groups[1:]
		}
		if _, err := fmt.Fprintln(w, strings.TrimRight(text, " \n")); err != nil {
			return err
		}
	}
	return nil
}

func (row Row) cells() []string {
	cells := []string{"  " + row.What, row.Ours.String(), "", "", row.Goal, ""}
	if row.Compared != nil {
		cells[2], cells[3] = row.Compared.String(), ratio(row.Ratio)
	}
	if row.Reached != nil {
		cells[5] = map[bool]string{true: "✔", false: "✘"}[*row.Reached]
	}
	return cells
}

// line writes as many cells on every line, so that the columns go on through the groups.
func line(w io.Writer, cells ...string) {
	_, _ = fmt.Fprintln(w, strings.Join(cells, "\t"))
}
