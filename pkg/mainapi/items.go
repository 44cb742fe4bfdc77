package mainapi

import (
	"context"
	"encoding/json"
)

// Items are the items of a list, as encoding/json decodes them.
type Items struct {
	Items []any
	// Partial is true if the list has further items that were not read; Notices say why.
	Partial bool
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
	items := make([]any, 0, found.len())
	for _, item := range found.all() {
		object := make(map[string]any, len(item))
		for name, raw := range item {
			var value any
			if err := json.Unmarshal(raw, &value); err != nil {
				return nil, c.Transport.Explain(err)
			}
			object[name] = value
		}
		items = append(items, object)
	}
	return &Items{items, found.partial, found.notices}, nil
}
