package platform

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// FaultKind is what goes wrong.
type FaultKind string

// The kinds of fault. "" is FaultRespond.
const (
	FaultRespond  FaultKind = "respond"  // answers with Status (500), Body, ContentType and Headers
	FaultHang     FaultKind = "hang"     // never answers; ends when the client leaves or the faults are cleared
	FaultDelay    FaultKind = "delay"    // answers as usual, after Delay
	FaultCutBody  FaultKind = "cutBody"  // declares the whole length, sends half and drops the connection
	FaultReset    FaultKind = "reset"    // resets the connection without an answer
	FaultSlowBody FaultKind = "slowBody" // sends the body in small pieces, over Delay
	FaultRedirect FaultKind = "redirect" // answers with Status (302) and the header Location
	FaultHTML     FaultKind = "html"     // answers with Status (502) and a page, as an intermediary does
)

// kinds are all that Inject knows.
var kinds = []FaultKind{FaultRespond, FaultHang, FaultDelay, FaultCutBody, FaultReset, FaultSlowBody, FaultRedirect, FaultHTML}

// Fault is something that goes wrong with requests. The first injected fault that fits a request hits it.
// In JSON, Delay is a duration such as "1.5s".
type Fault struct {
	Kind        FaultKind         `json:"kind,omitempty"`
	Service     string            `json:"service,omitempty"`     // metrics, tuning or main; "" any
	Path        string            `json:"path,omitempty"`        // regular expression, found in the request's path; "" any
	Times       int               `json:"times,omitempty"`       // how many requests are hit; 0: until cleared
	Status      int               `json:"status,omitempty"`      // of the answer; 0: the kind's own
	Body        string            `json:"body,omitempty"`        // of the answer; for cutBody and slowBody, "" is the usual answer
	ContentType string            `json:"contentType,omitempty"` // of Body; application/json
	Headers     map[string]string `json:"headers,omitempty"`     // of the answer
	Location    string            `json:"location,omitempty"`    // where redirect points
	Delay       time.Duration     `json:"-"`                     // waited first; for slowBody, spread over the body
}

type faultJSON struct {
	*plainFault
	Delay string `json:"delay,omitempty"`
}

type plainFault Fault

// MarshalJSON implements json.Marshaler.
func (f Fault) MarshalJSON() ([]byte, error) {
	form := faultJSON{plainFault: (*plainFault)(&f)}
	if f.Delay > 0 {
		form.Delay = f.Delay.String()
	}
	return json.Marshal(form)
}

// UnmarshalJSON implements json.Unmarshaler. It refuses members that it doesn't know.
func (f *Fault) UnmarshalJSON(data []byte) error {
	form := faultJSON{plainFault: (*plainFault)(f)}
	decoder := json.NewDecoder(strings.NewReader(string(data)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&form); err != nil {
		return err
	}
	if form.Delay == "" {
		return nil
	}
	delay, err := time.ParseDuration(form.Delay)
	f.Delay = delay
	return err
}

// check returns what is wrong with a fault.
func (f *Fault) check() (*regexp.Regexp, error) {
	if f.Kind != "" && !slices.Contains(kinds, f.Kind) {
		return nil, fmt.Errorf("unknown kind %q", f.Kind)
	}
	if f.Service != "" && f.Service != ServiceMetrics && f.Service != ServiceTuning && f.Service != ServiceMain {
		return nil, fmt.Errorf("unknown service %q", f.Service)
	}
	if f.Times < 0 || f.Delay < 0 {
		return nil, fmt.Errorf("times and delay must not be negative")
	}
	if f.Status != 0 && (f.Status < 200 || f.Status > 599) {
		return nil, fmt.Errorf("status %d is not between 200 and 599", f.Status)
	}
	if f.Kind == FaultRedirect && f.Location == "" {
		return nil, fmt.Errorf("a redirect needs a location")
	}
	return regexp.Compile(f.Path)
}

// faults are the faults that wait for a request.
type faults struct {
	mu      sync.Mutex
	waiting []armed
	cleared chan struct{} // closed when the faults are cleared; hung requests wait for it
}

type armed struct {
	Fault
	path *regexp.Regexp
}

// hit is a fault that a request answers with.
type hit struct {
	Fault
	cleared <-chan struct{}
}

func (fs *faults) add(f Fault) error {
	path, err := f.check()
	if err != nil {
		return err
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.waiting = append(fs.waiting, armed{f, path})
	return nil
}

// take finds the fault for a request, and counts it down.
func (fs *faults) take(service, path string) (hit, bool) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	for i := range fs.waiting {
		f := &fs.waiting[i]
		if (f.Service != "" && f.Service != service) || !f.path.MatchString(path) {
			continue
		}
		if fs.cleared == nil {
			fs.cleared = make(chan struct{})
		}
		found := hit{f.Fault, fs.cleared}
		if f.Times == 1 {
			fs.waiting = slices.Delete(fs.waiting, i, i+1)
		} else if f.Times > 1 {
			f.Times--
		}
		return found, true
	}
	return hit{}, false
}

func (fs *faults) clear() {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.waiting = nil
	if fs.cleared != nil {
		close(fs.cleared)
		fs.cleared = nil
	}
}

func (fs *faults) list() []Fault {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	list := make([]Fault, len(fs.waiting))
	for i, f := range fs.waiting {
		list[i] = f.Fault
	}
	return list
}

// Inject adds a fault. It panics if the fault makes no sense, which is a mistake in the calling test.
func (p *Platform) Inject(f Fault) {
	if err := p.faults.add(f); err != nil {
		panic("platform: cannot inject fault: " + err.Error())
	}
}

// ClearFaults takes all faults away and lets go of requests that hang.
func (p *Platform) ClearFaults() { p.faults.clear() }
