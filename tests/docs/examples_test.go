package docs_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// docs/quickstart.md: the files, variables and addresses that it names, and how many dashboards and rules there are.
func TestQuickstart_FilesAndVariables(t *testing.T) {
	page := readDocument(t, "docs/quickstart.md")
	source := readDocument(t, "provisioning/datasources/gpucloud.yaml")
	variables := regexp.MustCompile(`(?m)^ *(GPUCLOUD_[A-Z_]+)=`).FindAllStringSubmatch(page, -1)
	require.Len(t, variables, 5)
	for _, variable := range variables {
		require.Contains(t, source, "$"+variable[1]+"\n")
	}
	copied := regexp.MustCompile(`[a-z]+/[a-z-]+\.yaml`).FindAllString(strings.Join(regexp.MustCompile(`(?m)^ *sudo cp .+`).FindAllString(page, -1), "\n"), -1)
	require.Len(t, copied, 6)
	for _, file := range copied {
		require.FileExists(t, "../../provisioning/"+file)
	}
	replaced := regexp.MustCompile(`'s\|([^|]+)\|`).FindAllStringSubmatch(page, -1)
	require.Len(t, replaced, 1)
	require.Contains(t, readDocument(t, "provisioning/notifications/notifications.yaml"), "url: "+replaced[0][1]+"\n")
	require.Contains(t, page, "`GPUCLOUD_SLACK_URL=https://")
	require.Contains(t, readDocument(t, "provisioning/notifications/slack.yaml"), "url: $GPUCLOUD_SLACK_URL\n")

	dashboards, err := filepath.Glob("../../src/dashboards/*.json")
	require.NoError(t, err)
	require.Len(t, dashboards, 11, "eleven dashboards")
	rules := strings.Count(readDocument(t, "provisioning/alerting/metrics.yaml"), "\n      - uid: ")
	require.Contains(t, page, "has eleven dashboards")
	require.Contains(t, page, fmt.Sprintf("has %d rules", rules))
}
