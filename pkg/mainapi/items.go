package mainapi

import (
	"context"
	"encoding/json"
	"fmt"
)

// Items are the items of a list: of each the texts, numbers and booleans, as encoding/json decodes them. Objects and lists, which take up
// to twenty times their length, are left out.
type Items struct {
	Items []any
	// Cut says why the list has further items that were not read, or is empty.
	Cut     string
	Notices []string
}

// Items reads a list page by page, within the bounds of a query. The path is below /v1, and may have {projectId} and
// {organizationId}. Errors are *query.Error or *transport.Error; see [transport.ErrNotFound] for a list that is not served.
func (c *Client) Items(ctx context.Context, path string) (*Items, error) {
	expanded, err := c.expandPath(path)
	if err != nil {
		return nil, err
	}
	found, err := c.read(ctx, expanded, nil, defaultRoot, defaultMaxPages)
	if err != nil {
		return nil, err
	}
	all := &Items{make([]any, 0, found.len()), found.cut, found.notices}
	members := 0
	for _, item := range found.all() {
		if members += len(item); members > maxValues {
			all.Cut = fmt.Sprintf("Only the first %d items are read, because a list has at most %d members.", len(all.Items), maxValues)
			break
		}
		object := make(map[string]any, len(item))
		for name, raw := range item {
			if hasMembers(raw) {
				continue
			}
			var value any
			if err := json.Unmarshal(raw, &value); err != nil {
				return nil, c.Transport.Explain(err)
			}
			object[name] = value
		}
		all.Items = append(all.Items, object)
	}
	return all, nil
}
