package alerts_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

// today is a Wednesday afternoon without an obvious incident.
var today = time.Date(2026, 5, 20, 15, 4, 0, 0, time.UTC)

// month is the scenario of the four weeks before today, to find times of events.
func month() (s *scenario.Scenario, from, to int64) {
	s = scenario.New(scenario.Config{Nodes: 8, GPUsPerNode: 8, Now: today})
	return s, today.Add(-28 * 24 * time.Hour).UnixMilli(), today.UnixMilli()
}

func at(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// jobWhere finds a job of the month.
func jobWhere(t *testing.T, is func(scenario.Job) bool) scenario.Job {
	t.Helper()
	s, from, to := month()
	for _, job := range s.Jobs(from, to) {
		if is(job) {
			return job
		}
	}
	require.FailNow(t, "there is no such job in the month")
	return scenario.Job{}
}

// training is 40 minutes into a stretch of training on the largest pool.
func training(t *testing.T) time.Time {
	t.Helper()
	const while = int64(45 * time.Minute / time.Millisecond)
	var start int64
	jobWhere(t, func(j scenario.Job) bool {
		for _, p := range j.Phases {
			if j.NodePool == scenario.Pretraining && p.Kind == scenario.Training && p.End-p.Start > while {
				start = p.Start
				return true
			}
		}
		return false
	})
	return at(start).Add(40 * time.Minute)
}

// failure is 5 minutes after a job failed.
func failure(t *testing.T) time.Time {
	t.Helper()
	job := jobWhere(t, func(j scenario.Job) bool { return j.Outcome == scenario.Failed })
	return at(job.Finished).Add(5 * time.Minute)
}

// diverging is the time at which a job whose loss diverges has completed a share of its steps.
func diverging(t *testing.T, share float64) time.Time {
	t.Helper()
	job := jobWhere(t, func(j scenario.Job) bool {
		return j.Failure == scenario.FailureDiverged && j.Finished-j.Started > int64(time.Hour/time.Millisecond)
	})
	when, ok := job.TimeOf(int(share * float64(job.Step(job.Finished))))
	require.True(t, ok)
	return at(when)
}
