package platform

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// plainPath is what the path of a list is made of. A percent sign is not in it, so nothing can be encoded.
var plainPath = regexp.MustCompile(`^/v1(/[A-Za-z0-9._~:@-]+)+$`)

// placeholder is what stands for an id of the settings.
var placeholder = regexp.MustCompile(`\{[^{}/]*\}`)

// plainID is an id that stays in its place in a path.
var plainID = regexp.MustCompile(`^[A-Za-z0-9._~:@-]+$`)

// fillPath puts the settings' ids in the places of {projectId} and {organizationId}, so that a saved query, a provisioned
// alert rule for example, holds no id of an installation. Its error is a *query.Error.
func (c *Client) fillPath(path string) (string, error) {
	ids := map[string]struct{ what, section, id string }{
		"{projectId}":      {"project id", "Connection", c.ProjectID},
		"{organizationId}": {"organization id", "Main API", c.OrganizationID},
	}
	var problem string
	filled := placeholder.ReplaceAllStringFunc(path, func(found string) string {
		setting, known := ids[found]
		switch {
		case !known:
			problem = found + " is not known. Use {projectId} or {organizationId}, or write the id itself."
		case setting.id == "":
			problem = fmt.Sprintf("%s stands for the %s, and none is set. Set it in the data source's settings, section %s, or write the id itself.",
				found, setting.what, setting.section)
		case !plainID.MatchString(setting.id):
			problem = fmt.Sprintf("the %s of the data source's settings, section %s, can't be part of a path. Paste the id only.",
				setting.what, setting.section)
		}
		return setting.id
	})
	if problem != "" {
		return "", &query.Error{Field: "Path", Message: problem}
	}
	return filled, nil
}

// checkPath refuses a path that is not plainly one below /v1. Its error is a *query.Error.
func checkPath(path string) error {
	if path == "" {
		return &query.Error{Field: "Path", Message: "it is empty. Write for example /v1/capacities."}
	}
	if !strings.HasPrefix(path, "/v1/") {
		return &query.Error{Field: "Path", Message: "it must start with /v1/, for example /v1/capacities."}
	}
	if !plainPath.MatchString(path) {
		return &query.Error{Field: "Path", Message: "it may hold letters, digits and . _ ~ : @ - between single slashes. Parameters belong in their own fields."}
	}
	for _, segment := range strings.Split(path, "/") {
		if segment == "." || segment == ".." {
			return &query.Error{Field: "Path", Message: `"." and ".." are not allowed.`}
		}
	}
	return nil
}

// missing explains a list that was not found: the path, as it was written below the version, is wrong where the main API has capacities;
// otherwise its address may be wrong, too. Any other error is returned as it is.
func (c *Client) missing(ctx context.Context, written string, err error) error {
	var failure *transport.Error
	if !errors.As(err, &failure) || !errors.Is(failure.Kind, transport.ErrNotFound) {
		return err
	}
	explained := *failure
	explained.Message = fmt.Sprintf("The main API has no list %s (%d)", strings.TrimPrefix(written, "/v1/"), failure.Status)
	if _, err := c.get(ctx, capacitiesPath, nil); err == nil {
		explained.Message += ". Check the path, and the ids in it."
	} else {
		explained.Message += ", or it is not at the base address of the data source's settings, section Connection. Check both."
	}
	return &explained
}
