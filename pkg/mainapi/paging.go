package mainapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"strconv"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/cache"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// list has the items under a root, of all pages that were read. Concurrent queries share it, and don't modify it.
//
// Items stay JSON, because a small object takes fifty times its length when it is parsed.
type list struct {
	json []byte
	// ends are the ends of the items in json.
	ends    []int
	notices []string
	// cut says why the list has further items, or is empty.
	cut string
}

func (l *list) len() int { return len(l.ends) }

// all are the items. One that is no object is one with the member "value".
func (l *list) all() iter.Seq2[int, query.Record] {
	return func(yield func(int, query.Record) bool) {
		start := 0
		for i, end := range l.ends {
			raw := json.RawMessage(l.json[start:end])
			item := query.ParseRecord(raw)
			if item == nil {
				item = query.Record{"value": raw}
			}
			if !yield(i, item) {
				return
			}
			start = end
		}
	}
}

// addNotices adds the notices of a list to those of a result.
func (l *list) addNotices(notices *query.Notices) {
	for _, text := range l.notices {
		notices.Warn("%s", text)
	}
	if l.cut != "" {
		notices.Cut("%s", l.cut)
	}
}

// truncated says why a list has further items.
func (l *list) truncated(format string, args ...any) *list {
	l.cut = fmt.Sprintf(format, args...)
	return l
}

// read reads a list page by page, through the cache. Errors are *query.Error or *transport.Error.
func (c *Client) read(ctx context.Context, path string, params url.Values, root string, maxPages int) (*list, error) {
	key := path + "?" + params.Encode() + " " + strconv.Itoa(maxPages) + " " + root
	found, err := cache.Through(ctx, c.responses, key, func(ctx context.Context) (cache.Loaded[*list], error) {
		found, err := c.readPages(ctx, path, params, root, maxPages)
		if err != nil {
			return cache.Loaded[*list]{}, err
		}
		return cache.Loaded[*list]{Value: found, Bytes: cap(found.json) + cap(found.ends)*intBytes, TTL: responseTTL}, nil
	})
	return found, c.explain(err)
}

// intBytes is the size of an int on a 64-bit machine.
const intBytes = 8

func (c *Client) readPages(ctx context.Context, path string, params url.Values, root string, maxPages int) (*list, error) {
	found := &list{}
	maxBytes, hint := maxListBytes, ""
	if c.MaxBytes > 0 && c.MaxBytes < maxListBytes {
		maxBytes, hint = int(c.MaxBytes), ", or raise Largest response in the data source's settings, section Advanced"
	}
	full := ""
	add := func(item json.RawMessage) bool {
		if found.len() == maxItems {
			full = fmt.Sprintf("Only the first %d items are shown. Narrow the parameters, or choose another root.", maxItems)
		} else if len(found.json)+len(item) > maxBytes {
			full = fmt.Sprintf("Only the first %d items are shown, because a list has at most %d MB. Narrow the parameters%s.", found.len(), maxBytes>>20, hint)
		}
		if full != "" {
			return false
		}
		found.json = append(found.json, item...)
		found.ends = append(found.ends, len(found.json))
		return true
	}
	requested := map[string]bool{}
	for number := 1; ; number++ {
		got, err := c.readPage(ctx, path, params, root, add)
		if err != nil {
			return nil, err
		}
		if !got.matched {
			found.notices = append(found.notices, root+" matches nothing in the response.")
		}
		token := got.token()
		switch {
		case full != "":
			return found.truncated("%s", full), nil
		case token == "":
			return found, nil
		case requested[token]:
			return found.truncated("The platform names a page as the next one that has been read already; the list may be incomplete."), nil
		case number == maxPages && maxPages < pageLimit:
			return found.truncated("Only the first %d pages are shown. Narrow the parameters, or raise Max pages.", maxPages), nil
		case number == maxPages:
			return found.truncated("Only the first %d pages are shown, the most that are read. Narrow the parameters.", maxPages), nil
		}
		requested[token] = true
		params = withToken(params, token)
	}
}

// readPage requests a page and reads its items. Errors are *query.Error or *transport.Error.
func (c *Client) readPage(ctx context.Context, path string, params url.Values, root string, add func(json.RawMessage) bool) (page, error) {
	target := *c.Base
	target.Path += path
	target.RawQuery = params.Encode()
	req, err := c.Transport.NewGet(ctx, &target)
	if err != nil {
		return page{}, err
	}
	resp, err := c.Transport.Do(req)
	if err != nil {
		return page{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	got, err := readPage(resp.Body, names(root), add)
	var failure *transport.Error
	switch {
	case errors.As(err, &failure):
		return page{}, failure
	case errors.Is(err, errNotAList):
		return page{}, c.Transport.Service().Malformed(0, "sent something other than a list.")
	case errors.Is(err, errSingleValue):
		return page{}, &query.Error{Field: "Root", Message: root + " is a single value in the response, not a list."}
	case errors.Is(err, errTooManyMembers):
		return page{}, c.Transport.Service().TooLarge(fmt.Sprintf("sent a list that can't be read: An item has more than %d members.", query.MaxMembers))
	case errors.Is(err, query.ErrValueTooLong):
		return page{}, c.Transport.Service().TooLarge(fmt.Sprintf("sent a value of more than %d MB, the most that is read of one.", query.MaxValueBytes>>20))
	case err != nil:
		return page{}, c.Transport.Service().Malformed(0, "sent a response that isn't complete, well-formed JSON.")
	case !got.matched:
		return got, c.errorIn(got.members)
	}
	return got, nil
}

// errorIn is the error of a response with the status 200 that is an error body, or nil.
func (c *Client) errorIn(members query.Record) error {
	body, err := json.Marshal(members)
	if err != nil {
		return c.Transport.Explain(err)
	}
	if failure := c.Transport.Service().FromErrorBody(body); failure != nil {
		return failure
	}
	return nil
}

func withToken(params url.Values, token string) url.Values {
	next := url.Values{pageToken: {token}}
	for name, values := range params {
		if name != pageToken {
			next[name] = values
		}
	}
	return next
}
