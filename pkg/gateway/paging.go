package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// pageSizes are the values of limit, tried in this order if a gateway rejects one; 0 is none. A gateway that accepts one may
// still send pages of another size.
var pageSizes = []int{1000, 100, 0}

// maxPages bounds the requests for a list, if a gateway's pages are tiny.
const maxPages = 250

// list requests pages until it has all records, or as many as limit. It drops repeated records, because the list may change
// between the requests for two pages.
func list[T any](ctx context.Context, c *Client, path string, limit int, parse func(record) T) (all List[T], err error) {
	seen := map[string]bool{}
	after, repeated := "", false
	for range maxPages {
		p, err := c.page(ctx, path, after)
		if err != nil {
			return all, err
		}
		all.Unreadable += p.unreadable
		fresh := 0
		for _, r := range p.records {
			id := r.ID("id")
			if id != "" && seen[id] {
				continue
			}
			seen[id] = true
			fresh++
			all.Items = append(all.Items, parse(r))
		}
		if len(all.Items) > limit {
			all.Items, all.Truncated = all.Items[:limit], true
			return all, nil
		}
		if !p.more() {
			return all, nil
		}
		if len(all.Items) == limit {
			all.Truncated = true
			return all, nil
		}
		switch next := p.next(); {
		case next != "" && next != after && (fresh > 0 || len(p.records) == 0):
			after, repeated = next, false
		case len(p.records) == 0 && !repeated:
			// An empty page with has_more is requested once more.
			repeated = true
		default:
			// Some gateways end every list with an empty page with has_more.
			all.NextMissing = p.hasMore != nil && len(p.records) > 0
			return all, nil
		}
	}
	all.Truncated = true
	return all, nil
}

// page requests the page after a record, or the first one, with the largest size that the gateway accepts.
func (c *Client) page(ctx context.Context, path, after string) (page, error) {
	params := url.Values{}
	if after != "" {
		params.Set("after", after)
	}
	for i := int(c.pageSize.Load()); ; i++ {
		params.Del("limit")
		if pageSizes[i] > 0 {
			params.Set("limit", strconv.Itoa(pageSizes[i]))
		}
		body, err := c.get(ctx, path, params)
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

// page is one page of a list: {data, has_more, last_id}, where has_more and last_id may be missing.
type page struct {
	records    []record
	hasMore    *bool
	lastID     string
	unreadable int
}

func (c *Client) parsePage(body []byte) (page, error) {
	var list struct {
		Data    *[]json.RawMessage `json:"data"`
		HasMore json.RawMessage    `json:"has_more"`
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return page{}, c.malformed(body, "a list")
	}
	whole := parseRecord(body)
	if _, ok := whole["data"]; !ok {
		return page{}, c.malformed(body, "a list")
	}
	p := page{lastID: whole.ID("last_id")}
	var more bool
	if json.Unmarshal(list.HasMore, &more) == nil && string(list.HasMore) != "null" {
		p.hasMore = &more
	}
	if list.Data == nil {
		return p, nil
	}
	for _, raw := range *list.Data {
		if r := parseRecord(raw); r != nil {
			p.records = append(p.records, r)
		} else {
			p.unreadable++
		}
	}
	return p, nil
}

// more reports whether another page may follow. Without has_more, a page with a multiple of ten records may be full, because
// the gateway may use another size than the requested one.
func (p page) more() bool {
	if p.hasMore != nil {
		return *p.hasMore
	}
	return len(p.records) > 0 && len(p.records)%10 == 0
}

// next is the parameter after of the next page.
func (p page) next() string {
	for i := len(p.records) - 1; i >= 0; i-- {
		if id := p.records[i].ID("id"); id != "" {
			return id
		}
	}
	return p.lastID
}

// malformed is the error for a response without the wanted data, for example an error body with the status 200.
func (c *Client) malformed(body []byte, wanted string) error {
	if failure := c.Transport.Service().FromErrorBody(body); failure != nil {
		return failure
	}
	return c.Transport.Service().Malformed(http.StatusOK, "sent something other than "+wanted+". Check the gateway address in the data source's settings, section Fine-tuning.")
}
