package platform

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"

	"github.com/ohler55/ojg/oj"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// pageToken is the member of a response with the token of the next page, and the parameter of the request for it.
const pageToken = "next_token"

// list has the items under a root, of all pages that were read.
type list struct {
	items   []any
	notices []string
	// bytes is the length of the pages.
	bytes int
	// partial is true if the list has further items.
	partial bool
	// roots are JSONPaths of the lists in the first page.
	roots []string
}

// truncated marks a list as partial, with a notice that says why.
func (l *list) truncated(format string, args ...any) *list {
	l.partial = true
	l.notices = append(l.notices, fmt.Sprintf(format, args...))
	return l
}

// read reads a list page by page. Errors are *query.Error or *transport.Error.
func (c *Client) read(ctx context.Context, path string, params url.Values, root string, maxPages int) (*list, error) {
	rootPath, err := parseJSONPath(root)
	if err := pathError("Root", err, fmt.Sprintf("%q is not a JSONPath. Write for example $.items.", root)); err != nil {
		return nil, err
	}
	found := &list{}
	requested := map[string]bool{}
	for page := 1; ; page++ {
		if err := ctx.Err(); err != nil {
			return nil, c.Transport.Explain(err)
		}
		got, err := c.get(ctx, path, params)
		if err != nil {
			return nil, err
		}
		items, err := itemsAt(rootPath, root, got.value, newBudget(ctx, "Root", got.bytes))
		if err != nil {
			return nil, c.explain(err)
		}
		if page == 1 {
			found.roots = listRoots(got.value)
		}
		if items == nil {
			if err := c.notAListError(got.value); err != nil {
				return nil, err
			}
			found.notices = append(found.notices, fmt.Sprintf("%s matches nothing in the response.", root))
		}
		found.items = append(found.items, items...)
		found.bytes += got.bytes
		if len(found.items) > maxItems {
			found.items = found.items[:maxItems:maxItems]
			return found.truncated("Only the first %d items are shown. Narrow the parameters, or choose another root.", maxItems), nil
		}
		token := nextToken(got.value)
		switch {
		case token == "":
			return found, nil
		case requested[token]:
			return found.truncated("The platform names a page as the next one that has been read already; the list may be incomplete."), nil
		case page == maxPages && maxPages < pageLimit:
			return found.truncated("Only the first %d pages are shown. Narrow the parameters, or raise Max pages.", maxPages), nil
		case page == maxPages:
			return found.truncated("Only the first %d pages are shown, the most that are read. Narrow the parameters.", maxPages), nil
		case c.MaxBytes > 0 && int64(found.bytes) >= c.MaxBytes:
			return found.truncated("Only the first %d pages are shown, which are %d MB. Narrow the parameters, or raise Largest response in the data source's settings, section Advanced.",
				page, found.bytes>>20), nil
		}
		requested[token] = true
		params = withToken(params, token)
	}
}

func (c *Client) parse(body []byte) (any, error) {
	// The standard library limits the depth of nesting. The code that visits and writes the response is recursive, and a
	// stack overflow would end the process.
	if !json.Valid(body) {
		return nil, c.Transport.Service().Malformed(0, "sent a response that isn't complete, well-formed JSON.")
	}
	response, err := oj.Parse(body)
	if err != nil {
		return nil, c.Transport.Service().Malformed(0, "sent a response that isn't complete, well-formed JSON.")
	}
	return response, nil
}

// notAListError is the error for a response that is no list: an error body with the status 200, or not an object. It is nil
// for any other object, because the platform may omit an empty list.
func (c *Client) notAListError(value any) error {
	object, isObject := value.(map[string]any)
	if !isObject {
		return c.Transport.Service().Malformed(0, "sent something other than a list.")
	}
	members := map[string]any{}
	for _, name := range []string{"status", "code", "error", "errorType", "message", "reason"} {
		if member, ok := object[name]; ok {
			members[name] = member
		}
	}
	if failure := c.Transport.Service().FromErrorBody([]byte(oj.JSON(members))); failure != nil {
		return failure
	}
	return nil
}

// itemsAt are the items under the root: the members of a list, a single object, or several matches; nil if nothing matches.
// Its error is a *query.Error, or the context's.
func itemsAt(path jsonPath, root string, response any, b *budget) ([]any, error) {
	matches, err := path.all(response, b)
	if err != nil && !errors.Is(err, errNotApplicable) {
		return nil, err
	}
	if err != nil {
		return nil, &query.Error{Field: "Root", Message: fmt.Sprintf("%s can't be applied to the response. A filter, for example, needs a list of objects.", root)}
	}
	if len(matches) == 1 {
		switch match := matches[0].(type) {
		case []any:
			if match == nil {
				match = []any{}
			}
			return match, nil
		case map[string]any:
			return matches, nil
		case nil:
			return []any{}, nil
		}
		return nil, &query.Error{Field: "Root", Message: fmt.Sprintf("%s is a single value in the response, not a list.", root)}
	}
	return matches, nil
}

func nextToken(response any) string {
	object, _ := response.(map[string]any)
	token, _ := object[pageToken].(string)
	return token
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
