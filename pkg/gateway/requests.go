package gateway

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"sync"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/cache"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// The bounds of lists.
const (
	maxJobs        = query.MaxChoices // so that a query can name all jobs of a variable
	maxFiles       = 2000
	maxCheckpoints = 1000 // of a job
	maxEvents      = 5000 // of a job
)

const (
	// maxCacheBytes bounds the cache.
	maxCacheBytes = 32 << 20
	// recordBytes is about what a parsed record takes in the cache beside the texts of its JSON.
	recordBytes = 400
	// listTTL is just below the usual refresh interval of 10 s, so that each refresh sees the present state and concurrent
	// viewers share requests.
	listTTL = 9 * time.Second
)

// List is a list of the gateway, up to its bound.
type List[T any] struct {
	Items []T
	// Cut says why there are others that were not read, or is empty. LacksOlder reports that none of them is newer.
	Cut        string
	LacksOlder bool
	// Unreadable is the number of entries that are not objects.
	Unreadable int
}

// ListJobs returns the gateway's jobs in no particular order.
func (c *Client) ListJobs(ctx context.Context) (List[Job], error) {
	return cache.Through(ctx, c.responses, jobsPath, func(ctx context.Context) (cache.Loaded[List[Job]], error) {
		return list(ctx, c, jobsPath, "jobs", maxJobs, parseJob, listTTL, nil)
	})
}

// ListFiles returns the gateway's files in no particular order.
func (c *Client) ListFiles(ctx context.Context) (List[File], error) {
	return cache.Through(ctx, c.responses, filesPath, func(ctx context.Context) (cache.Loaded[List[File]], error) {
		return list(ctx, c, filesPath, "files", maxFiles, parseFile, listTTL, nil)
	})
}

const (
	// maxPages bounds the requests for a list, if a gateway's pages are tiny.
	maxPages = 250
	// maxListBytes bounds the records of a list, as JSON.
	maxListBytes = 32 << 20
)

// list requests pages until it has all records, or more than the limit of which room, if it is not nil, makes none. It drops repeated records,
// because the list may change between the requests for two pages. A list counts the longer, the more requests it takes.
func list[T any](
	ctx context.Context, c *Client, path, what string, limit int, parse func(record) T, ttl time.Duration, room func([]T) []T,
) (cache.Loaded[List[T]], error) {
	var all List[T]
	size, added, seen := 0, 0, map[string]bool{}
	loaded := func(err error) (cache.Loaded[List[T]], error) {
		return cache.Loaded[List[T]]{Value: all, Bytes: size + recordBytes*len(all.Items), TTL: ttl}, err
	}
	cut := func() {
		all.Cut = fmt.Sprintf("The gateway has more than %d %s; the others are left out.", len(all.Items), what)
	}
	isFull := func() bool {
		if len(all.Items) == limit && room != nil {
			all.Items = room(all.Items)
			size = size / limit * len(all.Items)
		}
		return len(all.Items) == limit
	}
	after := ""
	for number := range maxPages {
		ttl = max(ttl, listTTL*time.Duration(number))
		before := added
		p, err := c.page(ctx, path, after, func(id string, r record, length int) error {
			switch {
			case id != "" && seen[id]:
				return nil
			case isFull():
				cut()
				return query.ErrEnough
			case size+length > c.MaxListBytes:
				return c.Transport.Service.TooLarge(fmt.Sprintf("sent a list of more than %d MB, the most that is read of one.", c.MaxListBytes>>20))
			}
			seen[id] = true
			size += length
			added++
			all.Items = append(all.Items, parse(r))
			return nil
		})
		all.Unreadable += p.unreadable
		if err != nil || all.Cut != "" || !p.more() {
			return loaded(err)
		}
		next, isFresh := p.next(), added > before
		switch {
		case isFull():
			cut()
			return loaded(nil)
		case next == "" || next == after || !isFresh && p.records > 0:
			// Some gateways end every list with an empty page with has_more, and some ignore the parameter after.
			if p.hasMore() != nil && (p.records > 0 || len(all.Items) == 0) {
				all.Cut = "The gateway says that it has more " + what + " than it lists."
			}
			return loaded(nil)
		}
		after = next
	}
	cut()
	return loaded(nil)
}

// pageSizes are the values of limit, tried in this order if a gateway rejects one; 0 is none. A gateway that accepts one may
// still send pages of another size.
var pageSizes = []int{1000, 100, 0}

// page requests the page after a record, or the first one, with the largest size that the gateway accepts.
func (c *Client) page(ctx context.Context, path, after string, add addRecord) (*page, error) {
	params := url.Values{}
	if after != "" {
		params.Set("after", after)
	}
	for i, _ := c.pageSize.Get(c.Now()); ; i++ {
		params.Del("limit")
		if pageSizes[i] > 0 {
			params.Set("limit", strconv.Itoa(pageSizes[i]))
		}
		p := &page{}
		err := c.get(ctx, path, params, func(response []byte) error { return p.read(c, response, add) })
		if !errors.Is(err, transport.ErrBadRequest) || pageSizes[i] == 0 {
			return p, err
		}
		c.pageSize.Set(i+1, c.Now())
	}
}

// addRecord takes a record and the length of its JSON. After [query.ErrEnough], no more are read.
type addRecord func(id string, r record, length int) error

// page is what was read of one page of a list: {data, has_more, last_id}, where has_more and last_id may be missing.
type page struct {
	members record
	// records is the number of records, and lastRecord the id of the last one that has one.
	records    int
	lastRecord string
	unreadable int
}

// read reads a page. Its errors are *transport.Error, or those of add.
func (p *page) read(c *Client, response []byte, add addRecord) error {
	found, err := query.ReadList(c.Transport.Service, response, []string{"data"}, func(raw json.RawMessage) error {
		r := query.ParseRecord(raw)
		if r == nil {
			p.unreadable++
			return nil
		}
		p.records++
		id := r.ID("id")
		p.lastRecord = cmp.Or(id, p.lastRecord)
		return add(id, r, len(raw))
	})
	if p.members = found.Members; err == nil && !found.HasRoot {
		return query.Malformed(c.Transport.Service, p.members, "a list")
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

// get sends one GET request and lets read read the response. Errors are *transport.Error, or those of read.
//
// After a 429, a request for details waits for the rate limit again. Another one is retried once after a short pause, because
// details may have caused the 429. So is a health check, which else would say that this plugin is busy.
func (c *Client) get(ctx context.Context, path string, params url.Values, read func(response []byte) error) error {
	target := c.Base.JoinPath(path)
	target.RawQuery = params.Encode()
	release := func() {}
	defer func() { release() }()
	for retried := false; ; retried = true {
		release()
		var err error
		if release, err = c.admit(ctx); err != nil {
			return c.Transport.Explain(err)
		}
		resp, err := c.Transport.Send(ctx, target, nil)
		if err == nil {
			var response []byte
			if response, err = query.ReadBody(c.Transport.Service, resp.Body); err == nil {
				err = read(quoteNumbers(response))
			}
			_ = resp.Body.Close()
		}
		c.limit.record(err)
		if !errors.Is(err, transport.ErrRateLimited) || detailOf(ctx) == nil && (retried || c.limit.pause() > maxHold) {
			return err
		}
	}
}

// quotable matches texts, and the words for numbers that are not finite which Python's json.dumps writes where a value may begin, though JSON
// has none.
var quotable = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|[:\[,]\s*(?:NaN|-?Infinity)`)

// quoteNumbers makes texts of these words, which records are read with.
func quoteNumbers(response []byte) []byte {
	if !bytes.Contains(response, []byte("NaN")) && !bytes.Contains(response, []byte("Infinity")) {
		return response
	}
	return quotable.ReplaceAllFunc(response, func(found []byte) []byte {
		if found[0] == '"' {
			return found
		}
		word := bytes.LastIndexAny(found, ":[, \t\r\n") + 1
		return fmt.Appendf(nil, "%s%q", found[:word], found[word:])
	})
}

// admit waits until a request may be sent. release, which may be called more than once, lets the next one for a detail begin.
func (c *Client) admit(ctx context.Context) (release func(), err error) {
	release = func() {}
	if err := c.limit.wait(ctx); err != nil || detailOf(ctx) == nil {
		return release, err
	}
	permit, err := c.details.Acquire(ctx)
	if err != nil {
		return release, err
	}
	return sync.OnceFunc(permit), nil
}
