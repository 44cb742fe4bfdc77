package rangecache

import (
	"math"
	"sync"
	"time"
)

const (
	day = 24 * time.Hour
	// trouble is how long no range is split after the platform refused a request.
	trouble = time.Minute
)

// pace is how long the platform takes for samples, by its last responses. It decides into how many requests a range is split.
// It is safe for concurrent use.
type pace struct {
	// partTime is how long the requests for the parts of a range should take.
	partTime time.Duration

	mu sync.Mutex
	// overhead is how long a request takes that needs few samples; 0 if there was none.
	overhead time.Duration
	// took is how long a request takes that needs so many days of samples; 0 if there was none.
	took time.Duration
	days float64
	// slots is how many more requests for parts may be sent.
	slots int
	// troubleEnds is when ranges may be split again, in milliseconds.
	troubleEnds int64
}

// observe records how long the platform took for a response that needed the samples of a time span.
//
// The overhead falls at once and rises slowly, because requests of few samples can be slow for other reasons. What requests of
// many samples take is an average that the last responses dominate.
func (p *pace) observe(span, took time.Duration) {
	if took <= 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	short := span < day
	switch {
	case took < p.overhead || short && p.overhead == 0:
		p.overhead = took
	case short:
		p.overhead += (took - p.overhead) / 16
	}
	switch days := float64(span) / float64(day); {
	case short:
	case p.took == 0:
		p.took, p.days = took, days
	default:
		p.took += (took - p.took) / 4
		p.days += (days - p.days) / 4
	}
}

// refused records that the platform refused a request or failed it.
func (p *pace) refused(now int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.troubleEnds = now + trouble.Milliseconds()
}

// unknown reports whether a range should be measured by a part of it before it is split: nothing is known about long ranges.
func (p *pace) unknown(now int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.took == 0 && p.slots > 1 && now >= p.troubleEnds
}

// reserve returns into how many requests a range that needs the samples of a time span should be split, at most limit, and
// reserves a slot for each. Without splitting it is 1, and nothing is reserved.
//
// There are as many as have the time of a part to do, and no more than there are free slots: if many ranges are requested at
// the same time, they are side by side already.
func (p *pace) reserve(span time.Duration, limit int, now int64) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now < p.troubleEnds || p.partTime <= 0 || p.took == 0 {
		return 1
	}
	perDay := float64(p.took-p.overhead) / p.days
	n := min(int(math.Round(perDay*float64(span)/float64(day)/float64(p.partTime))), limit, p.slots)
	if n < 2 {
		return 1
	}
	p.slots -= n
	return n
}

// release returns slots.
func (p *pace) release(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.slots += n
}
