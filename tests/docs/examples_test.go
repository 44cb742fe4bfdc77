package docs_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// docs/reference/api.md, Signed requests: the example is one of the vectors that the backend is tested with.
func TestExampleOfASignature(t *testing.T) {
	page := readDocument(t, "docs/reference/api.md")
	value := func(name string) string {
		found := regexp.MustCompile(`(?m)^` + name + ` = "([^"]+)"`).FindStringSubmatch(page)
		require.NotNil(t, found, name)
		return found[1]
	}
	content, err := os.ReadFile("../../pkg/mainapi/testdata/signing-vectors.json")
	require.NoError(t, err)
	var saved struct {
		SecretKey   string `json:"secret_key"`
		AccessKeyID string `json:"access_key_id"`
		Version     string
		Vectors     []struct {
			Path           string
			CanonicalQuery string `json:"canonical_query"`
			Verb           string
			Timestamp      string
			Signature      string
		}
	}
	require.NoError(t, json.Unmarshal(content, &saved))
	require.Equal(t, saved.SecretKey, value("secret"))
	require.Equal(t, saved.AccessKeyID, value("key_id"))
	for _, vector := range saved.Vectors {
		if vector.Path == value("path") && vector.CanonicalQuery == value("query") && vector.Timestamp == value("time") && vector.Verb == "GET" {
			require.Contains(t, page, "Authorization: Bearer "+saved.Version+":"+saved.AccessKeyID+":"+vector.Signature+"\n")
			return
		}
	}
	t.Fatal("the example is none of the vectors")
}

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
