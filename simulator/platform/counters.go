package platform

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"sync"
)

// Counters count requests since the platform started, or since they were reset. Requests to
// the control endpoint are not in them.
type Counters struct {
	Requests    []RequestCount `json:"requests"`    // sorted
	BytesSent   int64          `json:"bytesSent"`   // of bodies, as sent: compressed ones count compressed
	LastHeaders []string       `json:"lastHeaders"` // names of the headers of the last request, sorted
}

// RequestCount is the number of requests that were alike. The endpoints are
//
//	metrics: base, query, query_range, query-range, labels, label_values
//	tuning:  files, file_content, jobs, job, events, checkpoints, metrics, models
//	main:    capacities, quotas, vm_instances, vm_types, kubernetes_clusters, kubernetes_nodepools, slurm_clusters, disks, load_balancers, usage, audit_logs
//
// and unknown, of any service.
type RequestCount struct {
	Service  string `json:"service"`
	Endpoint string `json:"endpoint"`
	Status   int    `json:"status"` // 0 if no response was begun
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

// add counts a request. It is called before the response's first byte leaves, so that a client that has
// its response finds itself counted.
func (c *counters) add(rt route, r *http.Request, status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.requests == nil {
		c.requests = map[RequestCount]int{}
	}
	c.requests[RequestCount{Service: rt.service, Endpoint: rt.endpoint, Status: status}]++
	c.headers = slices.Sorted(maps.Keys(r.Header))
}

func (c *counters) sent(bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bytes += int64(bytes)
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

// meter counts a request and its response on the way out.
type meter struct {
	http.ResponseWriter
	counters *counters
	route    route
	request  *http.Request
	counted  bool
}

// count counts the request, once.
func (m *meter) count(status int) {
	if !m.counted {
		m.counted = true
		m.counters.add(m.route, m.request, status)
	}
}

// WriteHeader implements http.ResponseWriter.
func (m *meter) WriteHeader(status int) {
	m.count(status)
	m.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (m *meter) Write(b []byte) (int, error) {
	m.count(http.StatusOK)
	m.counters.sent(len(b))
	return m.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the connection.
func (m *meter) Unwrap() http.ResponseWriter { return m.ResponseWriter }
