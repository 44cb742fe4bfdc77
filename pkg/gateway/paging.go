package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// pageSizes are the values of limit, tried in this order if a gateway rejects one; 0 is none. A gateway that accepts one may
// still send pages of another size.
var pageSizes = []int{1000, 100, 0}

// pageSize is the index of the page size that the gateway accepted. A rejection is forgotten after [notServedTTL], because it may have been
// that of an outage, or of a version of the gateway.
type pageSize struct{ accepted, until atomic.Int64 }

func (p *pageSize) first(now time.Time) int {
	if now.UnixNano() >= p.until.Load() {
		return 0
	}
	return int(p.accepted.Load())
}

func (p *pageSize) set(i int, now time.Time) {
	if i == p.first(now) {
		return
	}
	p.accepted.Store(int64(i))
	p.until.Store(now.Add(notServedTTL).UnixNano())
}

// maxPages bounds the requests for a list, if a gateway's pages are tiny.
const maxPages = 250

// maxListBytes bounds the records of a list, as JSON.
const maxListBytes = 32 << 20

// collected are the records of the pages that were read so far.
type collected[T any] struct {
	List[T]
	limit, bytes int
	seen         map[string]bool
	// fresh is the number of records of the present page that were not in others.
	fresh int
}

// add adds a record unless it is repeated, and returns false if there are more than the limit.
func (l *collected[T]) add(id string, r record, bytes int, parse func(record) T) (more bool) {
	if id != "" && l.seen[id] {
		return true
	}
	if len(l.Items) == l.limit {
		l.Truncated = true
		return false
	}
	l.seen[id] = true
	l.fresh++
	l.bytes += bytes
	l.Items = append(l.Items, parse(r))
	return true
}

// list requests pages until it has all records, or as many as limit. It drops repeated records, because the list may change
// between the requests for two pages.
func list[T any](ctx context.Context, c *Client, path string, limit int, parse func(record) T) (List[T], error) {
	all := collected[T]{limit: limit, seen: map[string]bool{}}
	after, repeated := "", false
	for range maxPages {
		all.fresh = 0
		p, err := c.page(ctx, path, after, func(id string, r record, bytes int) (bool, error) {
			if all.bytes+bytes > maxListBytes {
				return false, c.Transport.Service().TooLarge(fmt.Sprintf("sent a list of more than %d MB, the most that is read of one.", maxListBytes>>20))
			}
			return all.add(id, r, bytes, parse), nil
		})
		if err != nil {
			return all.List, err
		}
		all.Unreadable += p.unreadable
		if all.Truncated || !p.more() {
			return all.List, nil
		}
		if len(all.Items) == limit {
			all.Truncated = true
			return all.List, nil
		}
		switch next := p.next(); {
		case next != "" && next != after && (all.fresh > 0 || p.records == 0):
			after, repeated = next, false
		case p.records == 0 && !repeated:
			// An empty page with has_more is requested once more.
			repeated = true
		default:
			// Some gateways end every list with an empty page with has_more.
			all.NextMissing = p.hasMore() != nil && p.records > 0
			return all.List, nil
		}
	}
	all.Truncated = true
	return all.List, nil
}

// page requests the page after a record, or the first one, with the largest size that the gateway accepts.
func (c *Client) page(ctx context.Context, path, after string, add addRecord) (p *page, err error) {
	params := url.Values{}
	if after != "" {
		params.Set("after", after)
	}
	for i := c.pageSize.first(c.Now()); ; i++ {
		params.Del("limit")
		if pageSizes[i] > 0 {
			params.Set("limit", strconv.Itoa(pageSizes[i]))
		}
		p, err = c.getPage(ctx, path, params, add)
		if errors.Is(err, transport.ErrBadRequest) && i < len(pageSizes)-1 {
			continue
		}
		if err == nil {
			c.pageSize.set(i, c.Now())
		}
		return p, err
	}
}

// addRecord takes a record and its bytes, and returns false if it is the last one that is read.
type addRecord func(id string, r record, bytes int) (more bool, err error)

// page is what was read of one page of a list: {data, has_more, last_id}, where has_more and last_id may be missing.
type page struct {
	// members are has_more and last_id, and those of an error body.
	members record
	// hasData is true if the page has the member data, which may be null.
	hasData bool
	// records is the number of records, and lastRecord the id of the last one that has one.
	records    int
	lastRecord string
	unreadable int
}

// getPage requests a page. Its errors are *transport.Error, or those of add.
func (c *Client) getPage(ctx context.Context, path string, params url.Values, add addRecord) (*page, error) {
	p := &page{members: record{}}
	err := c.get(ctx, path, params, func(body io.Reader) error {
		err := c.readObject(query.NewDecoder(body), p.members, func(d query.Decoder, name string) error {
			if name == "data" {
				p.hasData = true
				return p.readData(d, add)
			}
			if name == "has_more" || name == "last_id" {
				return readMember(d, p.members, name)
			}
			return d.Skip()
		})
		if errors.Is(err, errEnough) {
			return nil
		}
		if err == nil && !p.hasData {
			err = errMalformed
		}
		return c.explainBody(err, p.members, "a list")
	})
	return p, err
}

// errEnough ends the reading of a page.
var errEnough = errors.New("enough records")

// readData reads the records of a page.
func (p *page) readData(d query.Decoder, add addRecord) error {
	isArray, err := d.Elements(func() error {
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return err
		}
		r := parseRecord(raw)
		if r == nil {
			p.unreadable++
			return nil
		}
		p.records++
		id := r.ID("id")
		p.lastRecord = cmp.Or(id, p.lastRecord)
		more, err := add(id, r, len(raw))
		if err == nil && !more {
			err = errEnough
		}
		return err
	})
	if err == nil && !isArray {
		err = errMalformed
	}
	return err
}

// hasMore is the page's statement, or nil.
func (p *page) hasMore() *bool {
	var more *bool
	if json.Unmarshal(p.members["has_more"], &more) != nil {
		return nil
	}
	return more
}

// more reports whether another page may follow. Without has_more, a page with a multiple of ten records may be full, because
// the gateway may use another size than the requested one.
func (p *page) more() bool {
	if more := p.hasMore(); more != nil {
		return *more
	}
	return p.records > 0 && p.records%10 == 0
}

// next is the parameter after of the next page.
func (p *page) next() string { return cmp.Or(p.lastRecord, p.members.ID("last_id")) }
