package docs_test

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// docs/quickstart.md: the variables and the addresses that it replaces.
func TestQuickstart_Variables(t *testing.T) {
	page := readDocument(t, "docs/quickstart.md")
	source := readDocument(t, "provisioning/datasources/gpucloud.yaml")
	variables := regexp.MustCompile(`(?m)^ *(GPUCLOUD_[A-Z_]+)=`).FindAllStringSubmatch(page, -1)
	require.Len(t, variables, 5)
	for _, variable := range variables {
		require.Contains(t, source, "$"+variable[1]+"\n")
	}
	replaced := regexp.MustCompile(`'s\|([^|]+)\|`).FindAllStringSubmatch(page, -1)
	require.Len(t, replaced, 1)
	require.Contains(t, readDocument(t, "provisioning/notifications/notifications.yaml"), "url: "+replaced[0][1]+"\n")
}
