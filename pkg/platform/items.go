package platform

import "context"

// Items are the items of a list, as encoding/json decodes them. Callers share them, and don't modify them.
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
	return &Items{found.items, found.partial, found.notices}, nil
}
