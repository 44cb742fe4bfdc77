package platform

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"sync"
)

// Counters tell what the platform was asked since it started, or since they were reset. Requests to
// the control endpoint are not in them.
type Counters struct {
	Requests    []RequestCount `json:"requests"`    // sorted
	BytesSent   int64          `json:"bytesSent"`   // of bodies, as sent: compressed ones count compressed
	LastHeaders []string       `json:"lastHeaders"` // names of the headers of the last request, sorted
}

// RequestCount is the number of requests that were alike.
type RequestCount struct {
	Service  string `json:"service"`
	Endpoint string `json:"endpoint"` // base, query, query_range, query-range, labels, label_values or unknown
	Status   int    `json:"status"`   // 0 if no answer was begun
	Count    int    `json:"count"`
}

// Count returns how many requests there were; "" stands for any service or endpoint, -1 for any status.
func (c Counters) Count(service, endpoint string, status int) int {
	n := 0
	for _, r := range c.Requests {
		if (service == "" || service == r.Service) && (endpoint == "" || endpoint == r.Endpoint) && (status < 0 || status == r.Status) {
			n += r.Count
		}
	}
	return n
}

type counters struct {
	mu       sync.Mutex
	requests map[RequestCount]int // by the other fields; Count is 0
	bytes    int64
	headers  []string
}

func (c *counters) add(rt route, r *http.Request, m *meter) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.requests == nil {
		c.requests = map[RequestCount]int{}
	}
	c.requests[RequestCount{Service: rt.service, Endpoint: rt.endpoint, Status: m.status}]++
	c.bytes += m.bytes
	c.headers = slices.Sorted(maps.Keys(r.Header))
}

// Counters returns the counters as they are now.
func (p *Platform) Counters() Counters {
	c := &p.counters
	c.mu.Lock()
	defer c.mu.Unlock()
	result := Counters{Requests: []RequestCount{}, BytesSent: c.bytes, LastHeaders: append([]string{}, c.headers...)}
	for request, count := range c.requests {
		request.Count = count
		result.Requests = append(result.Requests, request)
	}
	slices.SortFunc(result.Requests, func(a, b RequestCount) int {
		return cmp.Or(cmp.Compare(a.Service, b.Service), cmp.Compare(a.Endpoint, b.Endpoint), cmp.Compare(a.Status, b.Status))
	})
	return result
}

// ResetCounters begins counting anew.
func (p *Platform) ResetCounters() {
	c := &p.counters
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests, c.bytes, c.headers = nil, 0, nil
}

// meter notes the status and size of an answer on its way out.
type meter struct {
	http.ResponseWriter
	status int
	bytes  int64
}

// WriteHeader implements http.ResponseWriter.
func (m *meter) WriteHeader(status int) {
	if m.status == 0 {
		m.status = status
	}
	m.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (m *meter) Write(b []byte) (int, error) {
	if m.status == 0 {
		m.status = http.StatusOK
	}
	n, err := m.ResponseWriter.Write(b)
	m.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (m *meter) Unwrap() http.ResponseWriter { return m.ResponseWriter }
