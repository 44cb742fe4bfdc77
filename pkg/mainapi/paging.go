package mainapi

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"net/url"
	"strconv"
	"strings"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/cache"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// list has the items under a root, of all pages that were read. Concurrent queries share it, and don't modify it.
//
// Items stay JSON, because a small object takes fifty times its length when it is parsed.
type list struct {
	all []json.RawMessage
	// bytes is the length of all of them.
	bytes   int
	notices []string
	// cut says why the list has further items, or is empty.
	cut string
}

// Items are the items of a list.
type Items struct {
	// All are the items. One that is no object is one with the member "value".
	All iter.Seq[query.Record]
	// Cut says why the list has further items that were not read, or is empty.
	Cut     string
	Notices []string
}

// Items reads a list page by page, within the bounds of a query. The path is below /v1, and may have {projectId} and
// {organizationId}. Errors are *query.Error or *transport.Error; see [transport.ErrNotFound] for a list that is not served.
func (c *Client) Items(ctx context.Context, path string) (*Items, error) {
	path, err := c.expandPath(path)
	if err != nil {
		return nil, err
	}
	found, err := c.read(ctx, path, url.Values{}, defaultRoot, defaultMaxPages)
	if err != nil {
		return nil, err
	}
	return &Items{found.items(ctx, filterModel{}), found.cut, found.notices}, nil
}

// items are those that a filter keeps. They end early if the context is canceled.
func (l *list) items(ctx context.Context, filter filterModel) iter.Seq[query.Record] {
	return func(yield func(query.Record) bool) {
		for i, raw := range l.all {
			if i%1000 == 0 && ctx.Err() != nil {
				return
			}
			item := query.ParseRecord(raw)
			if item == nil {
				item = query.Record{"value": raw}
			}
			if filter.keeps(item) && !yield(item) {
				return
			}
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

// read reads a list page by page, through the cache. Errors are *query.Error or *transport.Error.
func (c *Client) read(ctx context.Context, path string, params url.Values, root string, maxPages int) (*list, error) {
	key := path + "?" + params.Encode() + " " + strconv.Itoa(maxPages) + " " + root
	found, err := cache.Through(ctx, c.responses, key, func(ctx context.Context) (cache.Loaded[*list], error) {
		found, err := c.readPages(ctx, path, params, root, maxPages)
		if err != nil {
			return cache.Loaded[*list]{}, err
		}
		return cache.Loaded[*list]{Value: found, Bytes: found.bytes + len(found.all)*itemBytes, TTL: responseTTL}, nil
	})
	return found, c.explain(err)
}

// itemBytes is what an item takes beside its JSON.
const itemBytes = 40

func (c *Client) readPages(ctx context.Context, path string, params url.Values, root string, maxPages int) (*list, error) {
	found := &list{}
	requested, seen := map[string]bool{}, map[[sha256.Size]byte]bool{}
	add := func(item json.RawMessage) error {
		sum := sha256.Sum256(item)
		// Pages move while they are read, and some lists have an object twice. Other items may be equal without being the same.
		if seen[sum] && (path == capacitiesPath || query.ParseRecord(item).ID("id") != "") {
			return nil
		}
		seen[sum] = true
		return c.add(found, item)
	}
	for number := 1; ; number++ {
		got, err := c.readPage(ctx, path, params, root, add)
		if err != nil {
			return nil, err
		}
		if !got.HasRoot {
			found.notices = append(found.notices, root+" matches nothing in the response.")
		}
		token := got.Members.ID(pageToken) // some write it as a number
		switch {
		case found.cut != "" || token == "":
			return found, nil
		case requested[token]:
			found.cut = "The platform names a page as the next one that has been read already; the list may be incomplete."
		case number == maxPages:
			found.cut = fmt.Sprintf("Only the first %d pages are shown. Narrow the parameters, or raise Max pages, up to %d.", maxPages, pageLimit)
		}
		if found.cut != "" {
			return found, nil
		}
		requested[token] = true
		params = maps.Clone(params)
		params.Set(pageToken, token)
	}
}

// add keeps an item of a list. Its error is a *transport.Error or [query.ErrEnough].
func (c *Client) add(l *list, item json.RawMessage) error {
	switch {
	case query.Members(item) > query.MaxMembers:
		return c.Transport.Service.TooLarge(fmt.Sprintf("sent a list that can't be read: An item has more than %d members.", query.MaxMembers))
	case len(l.all) == maxItems:
		l.cut = fmt.Sprintf("Only the first %d items are shown. Narrow the parameters, or choose another root.", maxItems)
		return query.ErrEnough
	case l.bytes+len(item) > maxListBytes:
		l.cut = fmt.Sprintf("Only the first %d items are shown, because a list has at most %d MB. Narrow the parameters.", len(l.all), maxListBytes>>20)
		return query.ErrEnough
	}
	l.all = append(l.all, item)
	l.bytes += len(item)
	return nil
}

// pageToken is the member of a response with the token of the next page, and the parameter of the request for it.
const pageToken = "next_token"

// readPage requests a page and reads its items. Errors are *query.Error or *transport.Error.
func (c *Client) readPage(ctx context.Context, path string, params url.Values, root string, add func(json.RawMessage) error) (query.Listed, error) {
	target := *c.Base
	target.Path += path
	target.RawQuery = params.Encode()
	resp, err := c.Transport.Send(ctx, &target, nil)
	if err != nil {
		return query.Listed{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	response, err := query.ReadBody(c.Transport.Service, resp.Body)
	if err != nil {
		return query.Listed{}, err
	}
	got, err := query.ReadList(c.Transport.Service, response, strings.Split(root, "."), add)
	if err == nil && got.IsOther {
		err = &query.Error{Field: "Root", Message: root + " is not a list in the response."}
	}
	return got, err
}
