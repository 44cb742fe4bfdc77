package tuning

import (
	"html"
	"net/url"
	"strconv"
	"strings"
	"time"

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

// The values of a row, and of a series, as Grafana writes them into a link's address.
const (
	jobIDOfRow        = "${__data.fields.job_id:percentencode}"
	jobIDOfSeries     = "${__field.labels.job:percentencode}"
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

// jobDashboard is the dashboard of the plugin that shows a job.
const jobDashboard = "gpucloud-fine-tuning"

// html is links to a job's dashboard, over the job's life up to end, and to the web console, for the text of an annotation.
// The dashboard's address is relative to Grafana's own, which may have a path.
func (l Links) html(job Job, end time.Time) string {
	if job.ID == "" || l.DataSourceUID == "" {
		return ""
	}
	values := url.Values{"var-datasource": {l.DataSourceUID}, "var-job": {job.ID}}
	if job.Created != nil && job.Created.Before(end) {
		if job.Finished != nil && job.Finished.After(*job.Created) {
			end = *job.Finished
		}
		// With some room, so that what came before and after is seen, too.
		margin := end.Sub(*job.Created) / 10
		values.Set("from", strconv.FormatInt(job.Created.Add(-margin).Truncate(time.Minute).UnixMilli(), 10))
		values.Set("to", strconv.FormatInt(end.Add(margin).Truncate(time.Minute).Add(time.Minute).UnixMilli(), 10))
	}
	text := anchor("d/"+jobDashboard+"?"+values.Encode(), "Show this job", "")
	for _, link := range l.consoleOf(url.QueryEscape(job.ID), "") {
		text += " · " + anchor(link.URL, link.Title, ` target="_blank"`)
	}
	return text
}

func anchor(address, title, attributes string) string {
	return `<a href="` + html.EscapeString(address) + `"` + attributes + `>` + html.EscapeString(title) + `</a>`
}

// console opens the job of a row, or its checkpoint to be deployed, in the platform's web console. A row without a
// checkpoint leaves its place empty.
func (l Links) console(checkpointID string) []data.DataLink {
	return l.consoleOf(jobIDOfRow, checkpointID)
}

// consoleOf opens a job or a checkpoint, whose ids are encoded or are filled in by Grafana, in the platform's web console.
func (l Links) consoleOf(jobID, checkpointID string) []data.DataLink {
	address, err := url.Parse(l.Console)
	if err != nil || l.Console == "" || address.Scheme != "https" && address.Scheme != "http" {
		return nil
	}
	return []data.DataLink{{
		Title: "Open in console",
		URL: strings.NewReplacer(
			"{projectId}", url.QueryEscape(l.ProjectID), "{jobId}", jobID, "{checkpointId}", checkpointID,
		).Replace(l.Console),
		TargetBlank: true,
	}}
}
