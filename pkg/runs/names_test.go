package runs_test

import (
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/jobs"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/runs"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/promtest"
)

func namedJob(id, suffix, status string) jobs.Run {
	job := jobs.Run{Job: jobs.Job{ID: id, Suffix: suffix, Status: status, TrainedTokens: number(7)}, Start: ago(2 * time.Hour)}
	if job.IsOver() {
		job.End, job.FineTunedModel = ago(time.Hour), "ft:"+id
	}
	return job
}

// An alert instance keeps its labels while it is pending: a second run of its name, a name that Slurm or the gateway adds later, and
// the end of the job change none.
func TestRuns_LabelsOfARuleStay(t *testing.T) {
	labels := func(found ...jobs.Run) (all []data.Labels) {
		client := &runs.Client{Metrics: &engine{value: constant}, Jobs: gateway(found)}
		frames, err := try(t.Context(), client, "runs", object{"measures": []string{"tokens"}}, true)
		require.NoError(t, err)
		for _, frame := range frames {
			all = append(all, frame.Fields[0].Labels)
		}
		return all
	}
	first := data.Labels{"run_id": "a", "run": "llm"}
	require.Equal(t, []data.Labels{first}, labels(namedJob("a", "llm", "running")))
	require.Equal(t, []data.Labels{first, {"run_id": "b", "run": "llm"}}, labels(namedJob("a", "llm", "running"), namedJob("b", "llm", "running")))
	unnamed := data.Labels{"run_id": "c", "run": "c"}
	require.Equal(t, []data.Labels{unnamed}, labels(namedJob("c", "", "running")))
	require.Equal(t, []data.Labels{unnamed}, labels(namedJob("c", "", "succeeded")))
}

// Messages have the names of runs that were found, and the ids of others.
func TestRuns_NamesInMessages(t *testing.T) {
	found := gateway{namedJob("ftjob-1", "llm", "running"), namedJob("ftjob-2", "vision", "running")}
	client := &runs.Client{Metrics: &engine{value: constant}, Jobs: found}
	source := object{"jobIds": []string{"ftjob-2"}}
	said := texts(query(t, client, "runs", object{"source": source, "measures": []string{}, "baseline": "ftjob-1"}))
	require.Contains(t, said, "The baseline ftjob-1 is not among the runs.")
	require.NotContains(t, texts(query(t, client, "runs", object{"source": source, "measures": []string{}, "baseline": "ftjob-2"})), "is not among")
	said = texts(query(t, client, "runs", object{"source": source, "measures": []string{}, "runs": []string{"ftjob-1", "ftjob-2"}}))
	require.Contains(t, said, "There is no run of ftjob-1: not started yet, not known, or left out by another option.")

	untimed := namedJob("ftjob-3", "speech", "running")
	untimed.Start = time.Time{}
	client.Jobs = gateway{untimed}
	require.Contains(t, texts(query(t, client, "runs", object{"measures": []string{}})), "The gateway does not report when speech started and ended; left out.")

	series := object{"kind": "series", "expr": "loss", "by": []string{"pod"}}
	e := fleetOfSeries{&engine{value: constant}, promtest.Result(manyRuns(1, 3))}
	said = texts(query(t, &runs.Client{Metrics: e}, "runs", object{"source": series, "measures": []string{}, "runs": []string{"pod-00000@@2026-03-01T08:00", "pod-00000"}}))
	require.Contains(t, said, "No run in this range is pod-00000 · until 2026-03-01 08:00 UTC.")
}

// A baseline that the gateway no longer knows is missing, however many runs there are.
func TestRuns_BaselineThatIsGone(t *testing.T) {
	g := &jobServer{jobs: []job{running("ftjob-1", "train_loss", falling(20)), running("ftjob-2", "train_loss", falling(20))}}
	for _, most := range []int{1, 5} {
		saved := object{"metric": "train_loss", "baseline": "ftjob-gone", "maxRuns": most}
		said := texts(query(t, newClient(t, g, nil), "runComparison", saved))
		require.Contains(t, said, "The baseline ftjob-gone is not among the runs.", "%d runs", most)
	}
}
