package tuning

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// pageSizes are what is asked for, one after the other where a gateway refuses a size; 0 leaves it to the gateway. One that
// accepts a size still answers with as much as it likes.
var pageSizes = []int{1000, 100, 0}

// maxPages bounds a list on a gateway whose pages are tiny.
const maxPages = 250

// listed are the records of a list, over all its pages.
type listed struct {
	records []record
	// cut: there are more than was asked for. stuck: the gateway says there are more and gives no way to them.
	cut, stuck bool
	// unreadable is how many entries of the list were no objects.
	unreadable int
	bytes      int
}

// list requests pages until it has all records, or most of them. Records that come twice, because the list moved between
// two pages, are taken once.
func (c *Client) list(ctx context.Context, get getter, path string, most int) (listed, error) {
	var all listed
	seen := map[string]bool{}
	after, repeated := "", false
	for range maxPages {
		p, err := c.page(ctx, get, path, after)
		if err != nil {
			return listed{}, err
		}
		all.bytes += p.bytes
		all.unreadable += p.unreadable
		fresh := 0
		for _, r := range p.records {
			id := r.id("id")
			if id != "" && seen[id] {
				continue
			}
			seen[id] = true
			fresh++
			all.records = append(all.records, r)
		}
		if len(all.records) > most {
			all.records, all.cut = all.records[:most], true
			return all, nil
		}
		if !p.more() {
			return all, nil
		}
		if len(all.records) == most {
			all.cut = true
			return all, nil
		}
		switch next := p.next(); {
		case next != "" && next != after && (fresh > 0 || len(p.records) == 0):
			after, repeated = next, false
		case len(p.records) == 0 && !repeated:
			// An empty page that promises more is asked for once again.
			repeated = true
		default:
			// Some gateways end every list with an empty page that promises more; that is an end like any other.
			all.stuck = p.hasMore != nil && len(p.records) > 0
			return all, nil
		}
	}
	all.cut = true
	return all, nil
}

// page requests the page that follows the record named after, or the first, of the largest size that the gateway does not
// refuse.
func (c *Client) page(ctx context.Context, get getter, path, after string) (page, error) {
	params := url.Values{}
	if after != "" {
		params.Set("after", after)
	}
	for i := int(c.pageSize.Load()); ; i++ {
		params.Del("limit")
		if pageSizes[i] > 0 {
			params.Set("limit", strconv.Itoa(pageSizes[i]))
		}
		body, err := get(ctx, path, params)
		if errors.Is(err, transport.ErrBadRequest) && i < len(pageSizes)-1 {
			continue
		}
		if err != nil {
			return page{}, err
		}
		c.pageSize.Store(int32(i))
		return c.parsePage(body)
	}
}

// page is one answer of a list: {data, has_more}, where has_more and last_id may be missing.
type page struct {
	records    []record
	hasMore    *bool
	lastID     string
	unreadable int
	bytes      int
}

func (c *Client) parsePage(body []byte) (page, error) {
	var answer struct {
		Data    *[]json.RawMessage `json:"data"`
		HasMore json.RawMessage    `json:"has_more"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return page{}, c.malformed(body, "a list")
	}
	whole := parseRecord(body)
	if _, ok := whole["data"]; !ok {
		return page{}, c.malformed(body, "a list")
	}
	p := page{bytes: len(body), lastID: whole.id("last_id")}
	var more bool
	if json.Unmarshal(answer.HasMore, &more) == nil && string(answer.HasMore) != "null" {
		p.hasMore = &more
	}
	if answer.Data == nil {
		return p, nil
	}
	for _, raw := range *answer.Data {
		if r := parseRecord(raw); r != nil {
			p.records = append(p.records, r)
		} else {
			p.unreadable++
		}
	}
	return p, nil
}

// more tells whether another page may follow. Where the gateway doesn't say, a page of a round number of records looks
// full, whatever size was asked for.
func (p page) more() bool {
	if p.hasMore != nil {
		return *p.hasMore
	}
	return len(p.records) > 0 && len(p.records)%10 == 0
}

// next is what the following page comes after.
func (p page) next() string {
	for i := len(p.records) - 1; i >= 0; i-- {
		if id := p.records[i].id("id"); id != "" {
			return id
		}
	}
	return p.lastID
}

// malformed is the error for an answer that is something else than was asked for, a failure for example.
func (c *Client) malformed(body []byte, wanted string) error {
	if failure := c.Transport.Service().FromErrorBody(body); failure != nil {
		return failure
	}
	return c.Transport.Service().Malformed(http.StatusOK, "sent something other than "+wanted+". Check the gateway address in the data source's settings, section Fine-tuning.")
}
