package platform

import (
	"regexp"
	"strings"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// plainPath is what the path of a list is made of. A percent sign is not in it, so nothing can be encoded.
var plainPath = regexp.MustCompile(`^/v1(/[A-Za-z0-9._~:@-]+)+$`)

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
