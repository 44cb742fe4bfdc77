package jobs

import (
	"html"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
)

// Links has the addresses for the data links of tables.
type Links struct {
	// DataSourceUID and DataSourceName are of the data source in Grafana.
	DataSourceUID, DataSourceName string
	// Console is the address of a job in the platform's web console, with the placeholders {projectId}, {jobId} and
	// {checkpointId}; empty for none.
	Console string
	// ProjectID is the value of {projectId}.
	ProjectID string
}

// Grafana's variables for the values of a row, and of a series, in a link's address.
const (
	jobIDOfRow        = "${__data.fields.job_id:percentencode}"
	jobIDOfSeries     = "${__field.labels.job:percentencode}"
	checkpointIDOfRow = "${__data.fields.checkpoint_id:percentencode}"
)

// checkpointsOfJob is a link to a job's checkpoints in Explore.
func (l Links) checkpointsOfJob() []data.DataLink {
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

// download is a link to the data source's resource for the content of a checkpoint.
func (l Links) download() []data.DataLink {
	return []data.DataLink{{
		Title:       "Download checkpoint",
		URL:         "/api/datasources/uid/" + url.PathEscape(l.DataSourceUID) + "/resources/checkpoints/" + checkpointIDOfRow + "/content",
		TargetBlank: true,
	}}
}

// jobDashboard is the uid of the plugin's dashboard about a job.
const jobDashboard = "gpucloud-fine-tuning"

// html is links for the text of an annotation: to the job's dashboard, over the lifetime of the job up to end, and to the web
// console. The dashboard's address is relative, because Grafana's address may have a path.
func (l Links) html(job Job, end time.Time) string {
	if job.ID == "" || l.DataSourceUID == "" {
		return ""
	}
	values := url.Values{"var-datasource": {l.DataSourceUID}, "var-job": {job.ID}}
	if !job.Created.IsZero() && job.Created.Before(end) {
		if job.Finished.After(job.Created) {
			end = job.Finished
		}
		// A margin shows the time before and after the job.
		margin := end.Sub(job.Created) / 10
		values.Set("from", strconv.FormatInt(job.Created.Add(-margin).Truncate(time.Minute).UnixMilli(), 10))
		values.Set("to", strconv.FormatInt(end.Add(margin).Truncate(time.Minute).Add(time.Minute).UnixMilli(), 10))
	}
	text := htmlLink("d/"+jobDashboard+"?"+values.Encode(), "Show this job", "")
	for _, link := range l.console(url.QueryEscape(job.ID), "") {
		text += " · " + htmlLink(link.URL, link.Title, ` target="_blank"`)
	}
	return text
}

func htmlLink(address, title, attributes string) string {
	return `<a href="` + html.EscapeString(address) + `"` + attributes + `>` + html.EscapeString(title) + `</a>`
}

// console is a link to a job or a checkpoint in the platform's web console. The ids are encoded, or Grafana's variables.
func (l Links) console(jobID, checkpointID string) []data.DataLink {
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

func unit(unit string) *data.FieldConfig { return &data.FieldConfig{Unit: unit} }

func linked(links ...[]data.DataLink) *data.FieldConfig {
	config := &data.FieldConfig{}
	for _, some := range links {
		config.Links = append(config.Links, some...)
	}
	return config
}
