package tuning

import (
	"net/url"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/data"
)

// Links are where the rows of tables lead.
type Links struct {
	// DataSourceUID and DataSourceName are of the data source in Grafana.
	DataSourceUID, DataSourceName string
	// Console is the address of a job in the platform's web console, with {projectId}, {jobId} and {checkpointId} for the
	// values; empty for none.
	Console string
	// ProjectID is the value of {projectId}.
	ProjectID string
}

// The values of a row, as Grafana writes them into a link's address.
const (
	jobIDOfRow        = "${__data.fields.job_id:percentencode}"
	checkpointIDOfRow = "${__data.fields.checkpoint_id:percentencode}"
)

// checkpointsOfJob opens a job's checkpoints in Explore.
func (l Links) checkpointsOfJob() []data.DataLink {
	if l.DataSourceUID == "" {
		return nil
	}
	return []data.DataLink{{
		Title: "Checkpoints",
		Internal: &data.InternalDataLink{
			DatasourceUID:  l.DataSourceUID,
			DatasourceName: l.DataSourceName,
			Query: map[string]any{
				"refId":     "A",
				"queryType": "fineTuningCheckpoints",
				"jobIds":    []string{"${__data.fields.job_id}"},
			},
		},
	}}
}

// download fetches a checkpoint through the data source's own resource, which adds the key.
func (l Links) download() []data.DataLink {
	if l.DataSourceUID == "" {
		return nil
	}
	return []data.DataLink{{
		Title:       "Download checkpoint",
		URL:         "/api/datasources/uid/" + url.PathEscape(l.DataSourceUID) + "/resources/checkpoints/" + checkpointIDOfRow + "/content",
		TargetBlank: true,
	}}
}

// console opens a job, or a checkpoint to be deployed, in the platform's web console. A row without a checkpoint leaves
// its place empty.
func (l Links) console(checkpointID string) []data.DataLink {
	address, err := url.Parse(l.Console)
	if err != nil || l.Console == "" || address.Scheme != "https" && address.Scheme != "http" {
		return nil
	}
	return []data.DataLink{{
		Title: "Open in console",
		URL: strings.NewReplacer(
			"{projectId}", url.QueryEscape(l.ProjectID), "{jobId}", jobIDOfRow, "{checkpointId}", checkpointID,
		).Replace(l.Console),
		TargetBlank: true,
	}}
}
