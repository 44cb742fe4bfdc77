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

// tokenName is the member of an answer that names the next page, and the parameter that asks for it.
const tokenName = "next_token"

// list is what was found under a root, over all pages that were read.
type list struct {
	items   []any
	notices []string
	// bytes is how long the pages were.
	bytes int
	// partial tells that there is more than was read.
	partial bool
	// roots are JSONPaths of the lists in the first page.
	roots []string
}

// cut ends a list before its end, which the notice explains.
func (l *list) cut(format string, args ...any) *list {
	l.partial = true
	l.notices = append(l.notices, fmt.Sprintf(format, args...))
	return l
}

// read reads a list page by page. Errors are *query.Error or *transport.Error.
func (c *Client) read(ctx context.Context, path string, params url.Values, root string, maxPages int) (*list, error) {
	rootPath, err := parseJSONPath(root)
	if err := pathProblem("Root", err, fmt.Sprintf("%q is not a JSONPath. Write for example $.items.", root)); err != nil {
		return nil, err
	}
	found := &list{}
	asked := map[string]bool{}
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
			found.roots = seenRoots(got.value)
		}
		if items == nil {
			if err := c.strange(got.value); err != nil {
				return nil, err
			}
			found.notices = append(found.notices, fmt.Sprintf("%s matches nothing in the answer.", root))
		}
		found.items = append(found.items, items...)
		found.bytes += got.bytes
		if len(found.items) > mostItems {
			found.items = found.items[:mostItems:mostItems]
			return found.cut("Only the first %d items are shown. Narrow the parameters, or choose another root.", mostItems), nil
		}
		token := nextToken(got.value)
		switch {
		case token == "":
			return found, nil
		case asked[token]:
			return found.cut("The platform names a page as the next one that has been read already; the list may be incomplete."), nil
		case page == maxPages && maxPages < mostPages:
			return found.cut("Only the first %d pages are shown. Narrow the parameters, or raise Max pages.", maxPages), nil
		case page == maxPages:
			return found.cut("Only the first %d pages are shown, the most that are read. Narrow the parameters.", maxPages), nil
		case c.MaxBytes > 0 && int64(found.bytes) >= c.MaxBytes:
			return found.cut("Only the first %d pages are shown, which are %d MB. Narrow the parameters, or raise Largest answer in the data source's settings, section Advanced.",
				page, found.bytes>>20), nil
		}
		asked[token] = true
		params = withToken(params, token)
	}
}

func (c *Client) parse(body []byte) (any, error) {
	// The standard library bounds how deep an answer is nested. What walks and writes it later is recursive, and a stack
	// that overflows ends the whole plugin.
	if !json.Valid(body) {
		return nil, c.Transport.Service().Malformed(0, "sent an answer that isn't whole, well-formed JSON.")
	}
	answer, err := oj.Parse(body)
	if err != nil {
		return nil, c.Transport.Service().Malformed(0, "sent an answer that isn't whole, well-formed JSON.")
	}
	return answer, nil
}

// strange is the error for an answer in which nothing is found because it is none: a failure that was sent as a success,
// or something that can't hold a list. It is nil for an object, from which an empty list may have been left out.
func (c *Client) strange(value any) error {
	object, isObject := value.(map[string]any)
	if !isObject {
		return c.Transport.Service().Malformed(0, "sent something other than a list.")
	}
	said := map[string]any{}
	for _, name := range []string{"status", "code", "error", "errorType", "message", "reason"} {
		if member, ok := object[name]; ok {
			said[name] = member
		}
	}
	if failure := c.Transport.Service().FromErrorBody([]byte(oj.JSON(said))); failure != nil {
		return failure
	}
	return nil
}

// itemsAt finds the items under the root: the members of a list, a single object, or several matches. nil means that
// nothing matched. Its error is a *query.Error, or the context's.
func itemsAt(path jsonPath, root string, answer any, b *budget) ([]any, error) {
	matches, err := path.all(answer, b)
	if err != nil && !errors.Is(err, errNotApplicable) {
		return nil, err
	}
	if err != nil {
		return nil, &query.Error{Field: "Root", Message: fmt.Sprintf("%s can't be applied to the answer. A filter, for example, needs a list of objects.", root)}
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
		return nil, &query.Error{Field: "Root", Message: fmt.Sprintf("%s is a single value in the answer, not a list.", root)}
	}
	return matches, nil
}

func nextToken(answer any) string {
	object, _ := answer.(map[string]any)
	token, _ := object[tokenName].(string)
	return token
}

func withToken(params url.Values, token string) url.Values {
	next := url.Values{tokenName: {token}}
	for name, values := range params {
		if name != tokenName {
			next[name] = values
		}
	}
	return next
}
