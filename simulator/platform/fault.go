package platform

import (
	"fmt"
	"regexp"
	"slices"
	"sync"
	"time"
)

// FaultKind is what goes wrong.
type FaultKind string

// The kinds of fault. "" is FaultRespond.
const (
	FaultRespond  FaultKind = "respond"  // responds with Status (500), Body, ContentType and Headers
	FaultHang     FaultKind = "hang"     // never responds; ends when the client leaves or the faults are cleared
	FaultDelay    FaultKind = "delay"    // responds as usual, after Delay
	FaultCutBody  FaultKind = "cutBody"  // declares the whole length, sends half and drops the connection
	FaultRedirect FaultKind = "redirect" // responds with Status (302) and the header Location
	FaultHTML     FaultKind = "html"     // responds with Status (502) and a page, as an intermediary does
)

// kinds are all that Inject knows.
var kinds = []FaultKind{FaultRespond, FaultHang, FaultDelay, FaultCutBody, FaultRedirect, FaultHTML}

// Fault is something that goes wrong with requests. The first fault that fits a request decides the response; those of kind
// delay only add to the time before it. In JSON, Delay is in nanoseconds.
type Fault struct {
	Kind        FaultKind         `json:"kind,omitempty"`
	Service     string            `json:"service,omitempty"`     // metrics, tuning or main; "" any
	Path        string            `json:"path,omitempty"`        // regular expression, found in the request's path; "" any
	Times       int               `json:"times,omitempty"`       // how many requests are hit; 0: until cleared
	Status      int               `json:"status,omitempty"`      // of the response; 0: the kind's own
	Body        string            `json:"body,omitempty"`        // of the response; for cutBody, "" is the usual response
	ContentType string            `json:"contentType,omitempty"` // of Body; application/json
	Headers     map[string]string `json:"headers,omitempty"`     // of the response
	Location    string            `json:"location,omitempty"`    // where redirect points
	Delay       time.Duration     `json:"delay,omitempty"`       // waited first
}

// arm checks a fault and prepares it for requests.
func (f Fault) arm() (armed, error) {
	path, err := regexp.Compile(f.Path)
	if f.Kind != "" && !slices.Contains(kinds, f.Kind) {
		err = fmt.Errorf("unknown kind %q", f.Kind)
	}
	return armed{f, path}, err
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

// hit is a fault that decides the response to a request.
type hit struct {
	Fault
	wait    time.Duration // before the response
	cleared <-chan struct{}
}

func (fs *faults) add(f Fault) error {
	a, err := f.arm()
	if err != nil {
		return err
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.waiting = append(fs.waiting, a)
	return nil
}

// take finds the faults for a request, and counts them down.
func (fs *faults) take(service, path string) (found hit, ok bool) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if fs.cleared == nil {
		fs.cleared = make(chan struct{})
	}
	var wait time.Duration
	for i := 0; i < len(fs.waiting); i++ {
		f := &fs.waiting[i]
		if f.Service != "" && f.Service != service || !f.path.MatchString(path) {
			continue
		}
		wait += f.Delay
		found, ok = hit{f.Fault, wait, fs.cleared}, true
		if f.Times == 1 {
			fs.waiting = slices.Delete(fs.waiting, i, i+1)
			i--
		} else if f.Times > 1 {
			f.Times--
		}
		if found.Kind != FaultDelay {
			break
		}
	}
	return found, ok
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

// Inject adds a fault. It panics if the fault makes no sense, which is a mistake in the calling test.
func (p *Platform) Inject(f Fault) {
	if err := p.faults.add(f); err != nil {
		panic("platform: cannot inject fault: " + err.Error())
	}
}

// ClearFaults removes all faults and ends requests that hang.
func (p *Platform) ClearFaults() { p.faults.clear() }
