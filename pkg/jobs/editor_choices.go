package jobs

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
)

// JobChoice is a job in the options of editors and variables.
type JobChoice struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Model  string `json:"model"`
	Status string `json:"status"`
}

// StatusChoice is a status and the present number of jobs with it.
type StatusChoice struct {
	Status string `json:"status"`
	Jobs   int    `json:"jobs"`
}

// ModelChoice is a base model of jobs, and the number of jobs that use it.
type ModelChoice struct {
	ID   string `json:"id"`
	Jobs int    `json:"jobs"`
}

// Jobs are all jobs, newest first. Errors are *transport.Error.
func (c *Client) Jobs(ctx context.Context) ([]JobChoice, error) {
	list, err := c.ListJobs(ctx)
	if err != nil {
		return nil, c.jobListError(err)
	}
	jobs := slices.Clone(list.Items)
	newestFirst(jobs)
	offered := make([]JobChoice, 0, len(jobs))
	for _, job := range jobs {
		if job.ID == "" {
			continue
		}
		offered = append(offered, JobChoice{job.ID, job.Name(), job.Model, job.Status})
	}
	return offered, nil
}

// Statuses are the usual statuses, in the order of a job's lifecycle, followed by other statuses of the gateway's jobs. Errors
// are *transport.Error.
func (c *Client) Statuses(ctx context.Context) ([]StatusChoice, error) {
	list, err := c.ListJobs(ctx)
	if err != nil {
		return nil, c.jobListError(err)
	}
	have := countBy(list.Items, func(j Job) string { return j.Status })
	others := slices.DeleteFunc(slices.Sorted(maps.Keys(have)), func(status string) bool { return slices.Contains(lifecycle, status) })
	offered := make([]StatusChoice, 0, len(lifecycle)+len(others))
	for _, status := range slices.Concat(lifecycle, others) {
		offered = append(offered, StatusChoice{status, have[status]})
	}
	return offered, nil
}

// countBy is the number of jobs of each value that is not empty.
func countBy(jobs []Job, valueOf func(Job) string) map[string]int {
	counts := map[string]int{}
	for _, job := range jobs {
		if value := valueOf(job); value != "" {
			counts[value]++
		}
	}
	return counts
}

// Models are the base models of jobs, most used first. Errors are *transport.Error.
func (c *Client) Models(ctx context.Context) ([]ModelChoice, error) {
	list, err := c.ListJobs(ctx)
	if err != nil {
		return nil, c.jobListError(err)
	}
	offered := []ModelChoice{}
	for id, jobs := range countBy(list.Items, func(j Job) string { return j.Model }) {
		offered = append(offered, ModelChoice{id, jobs})
	}
	slices.SortFunc(offered, func(a, b ModelChoice) int {
		return cmp.Or(b.Jobs-a.Jobs, strings.Compare(a.ID, b.ID))
	})
	return offered, nil
}
