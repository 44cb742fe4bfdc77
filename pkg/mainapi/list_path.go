package mainapi

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// validPath matches the path of a list. It allows no percent sign, so that nothing can be encoded.
var validPath = regexp.MustCompile(`^/v1/[A-Za-z0-9._~:@/-]+$`)

// validID matches an id that is one segment of a path.
var validID = regexp.MustCompile(`^[A-Za-z0-9._~:@-]+$`)

// expandPath replaces {projectId} and {organizationId} with the ids of the settings, so that saved queries, for example of
// provisioned alert rules, don't depend on an installation. Its error is a *query.Error.
func (c *Client) expandPath(written string) (string, error) {
	filled := written
	for _, setting := range []struct{ placeholder, what, section, id string }{
		{"{projectId}", "project id", "Connection", c.ProjectID},
		{"{organizationId}", "organization id", "Main API", c.OrganizationID},
	} {
		switch {
		case !strings.Contains(written, setting.placeholder):
			continue
		case setting.id == "":
			return "", &query.Error{Field: "Path", Message: fmt.Sprintf("%s stands for the %s, and none is set. Set it in the data source's settings, section %s, "+
				"or write the id itself.", setting.placeholder, setting.what, setting.section)}
		case !validID.MatchString(setting.id):
			return "", &query.Error{Field: "Path", Message: fmt.Sprintf("the %s of the data source's settings, section %s, can't be part of a path. "+
				"Paste the id only.", setting.what, setting.section)}
		}
		filled = strings.ReplaceAll(filled, setting.placeholder, setting.id)
	}
	return filled, checkPath(filled)
}

// checkPath accepts paths below /v1 only. Its error is a *query.Error.
func checkPath(written string) error {
	if validPath.MatchString(written) && path.Clean(written) == written {
		return nil
	}
	return &query.Error{Field: "Path", Message: `it must start with /v1/, for example /v1/capacities, and may hold letters, digits and . _ ~ : @ - between single slashes, and {projectId} or {organizationId}. ` +
		`"." and ".." are not allowed, and parameters belong in their own fields.`}
}

// explainNotFound names the list of a 404. It returns other errors unchanged.
func explainNotFound(written string, err error) error {
	var failure *transport.Error
	if !errors.As(err, &failure) || !errors.Is(failure.Kind, transport.ErrNotFound) {
		return err
	}
	explained := *failure
	explained.Message = fmt.Sprintf("The main API has no list %s (%d), or it is not at the base address of the data source's settings, section Connection. Check both, and the ids in the path.",
		strings.TrimPrefix(written, "/v1/"), failure.Status)
	return &explained
}
