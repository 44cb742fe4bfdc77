package jobs_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/jobs"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

func checkpoint(id string, step int, at time.Duration, metrics object) object {
	return object{"id": id, "object": "fine_tuning.job.checkpoint", "created_at": ago(at), "step_number": step, "metrics": metrics}
}

// ticking makes the client use the clock.
func ticking(c *clock) func(*config) {
	return func(config *config) { config.Now = c.now }
}

func TestCache_FinishedJobs(t *testing.T) {
	g := &gateway{
		jobs: []any{
			job("over", nil),
			job("live", object{"status": "running", "finished_at": nil}),
			job("just-over", object{"finished_at": ago(time.Minute)}),
		},
		checkpoints: map[string]any{"over": []any{checkpoint("c", 1, time.Hour, nil)}, "live": []any{}, "just-over": []any{}},
	}
	c := &clock{at: noon}
	client := newClient(t, g, ticking(c))
	for range 3 {
		fetch(t, client, "fineTuningCheckpoints", object{"onlyInRange": false})
	}
	require.Equal(t, 4, len(g.requested), "the list and three jobs' checkpoints, once each")

	c.advance(10 * time.Second)
	fetch(t, client, "fineTuningCheckpoints", object{"onlyInRange": false})
	require.Equal(t, 5, len(g.requested), "only the list may have changed")

	c.advance(10 * time.Second)
	fetch(t, client, "fineTuningCheckpoints", object{"onlyInRange": false})
	require.Equal(t, 2, g.calls("live/"), "a running job's are read again after 15 to 30 s")
	require.Equal(t, 2, g.calls("just-over/"), "something may still be added to a job that has just ended")
	require.Equal(t, 1, g.calls("/over/"))

	c.advance(30 * 24 * time.Hour)
	fetch(t, client, "fineTuningCheckpoints", object{"onlyInRange": false})
	require.Equal(t, 1, g.calls("/over/"), "for good")
}

func TestCache_CoalescesRequests(t *testing.T) {
	g := &gateway{jobs: manyJobs(40), latency: 20 * time.Millisecond}
	g.withEmptyDetails()
	client := newClient(t, g)
	var viewers sync.WaitGroup
	for range 20 {
		viewers.Go(func() {
			fetch(t, client, "fineTuningAnnotations", nil)
			fetch(t, client, "fineTuningJobs", object{"format": "count"})
		})
	}
	viewers.Wait()
	require.Equal(t, 40, g.calls("/checkpoints"))
	require.Equal(t, 1, g.calls("fine_tuning/jobs")-40)
}

func TestClient_ConcurrencyLimit(t *testing.T) {
	g := &gateway{jobs: manyJobs(60), checkpoints: map[string]any{}, latency: 5 * time.Millisecond}
	for i := range 60 {
		g.checkpoints[fmt.Sprintf("job-%05d", i)] = []any{checkpoint(fmt.Sprint("c", i), 1, time.Hour, nil)}
	}
	client := newClient(t, g)
	var viewers sync.WaitGroup
	for range 4 {
		viewers.Go(func() { fetch(t, client, "fineTuningCheckpoints", nil) })
		viewers.Go(func() { fetch(t, client, "fineTuningCurves", nil) })
	}
	viewers.Wait()
	require.LessOrEqual(t, g.peak.Load(), int32(8))
	require.Equal(t, 60, g.calls("/checkpoints"))
}

func TestCache_ErrorsNotCached(t *testing.T) {
	g := &gateway{jobs: []any{job("a", nil)}}
	broken := true
	g.handle = func(w http.ResponseWriter, _ *http.Request) bool {
		if broken {
			fail(w, http.StatusInternalServerError, "down")
		}
		return broken
	}
	for _, query := range []object{nil, {"jobIds": []string{"a"}}} {
		client := newClient(t, g)
		broken = true
		_, err := try(t, client, "fineTuningJobs", query)
		require.ErrorIs(t, err, transport.ErrUnavailable)
		broken = false
		require.Equal(t, 1, fetch(t, client, "fineTuningJobs", query)[0].Rows())
	}
}

func TestCache_CanceledWaiter(t *testing.T) {
	var arrived, release chan struct{}
	var once sync.Once
	g := &gateway{jobs: []any{job("a", nil)}}
	g.handle = func(_ http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/v1/fine_tuning/jobs" {
			once.Do(func() { close(arrived) })
			<-release
		}
		return false
	}
	inBubble(t, g, func(time.Time) time.Duration { return 0 }, func(t *testing.T, _ *limited, client *jobs.Client) {
		arrived, release = make(chan struct{}), make(chan struct{}) // of the bubble
		impatient, giveUp := context.WithCancel(context.Background())
		count := object{"format": "count", "onlyInRange": false}
		gaveUp, got := make(chan error), make(chan error)
		go func() {
			_, err := queryData(client, impatient, "fineTuningJobs", dataQuery(t, count), false)
			gaveUp <- err
		}()
		<-arrived
		go func() {
			_, err := queryData(client, context.Background(), "fineTuningJobs", dataQuery(t, count), false)
			got <- err
		}()
		synctest.Wait() // for the second caller to join
		giveUp()
		require.ErrorIs(t, <-gaveUp, transport.ErrCanceled)
		close(release)
		require.NoError(t, <-got)
		require.Equal(t, 1, g.calls("jobs"))
	})
}

func TestCache_LastWaiterCancels(t *testing.T) {
	for _, query := range []object{nil, {"jobIds": []string{"a"}}} {
		arrived, canceled := make(chan struct{}), make(chan struct{})
		g := &gateway{handle: func(_ http.ResponseWriter, r *http.Request) bool {
			close(arrived)
			<-r.Context().Done()
			close(canceled)
			return true
		}}
		client := newClient(t, g)
		ctx, leave := context.WithCancel(context.Background())
		failed := make(chan error)
		go func() {
			_, err := queryData(client, ctx, "fineTuningJobs", dataQuery(t, query), false)
			failed <- err
		}()
		<-arrived
		leave()
		require.ErrorIs(t, <-failed, transport.ErrCanceled)
		select {
		case <-canceled:
		case <-time.After(5 * time.Second):
			t.Fatal("the request continues although no query waits for it")
		}
	}
}

func TestOptionalEndpoint_NotServed(t *testing.T) {
	g := &gateway{jobs: manyJobs(30)}
	c := &clock{at: noon}
	client := newClient(t, g, ticking(c))
	frames := fetch(t, client, "fineTuningCheckpoints", nil)
	require.Contains(t, notices(frames), "no checkpoints of the chosen jobs")
	first := g.calls("/checkpoints")
	require.Less(t, first, 30)
	fetch(t, client, "fineTuningCheckpoints", nil)
	require.Equal(t, first, g.calls("/checkpoints"))
	c.advance(6 * time.Minute)
	fetch(t, client, "fineTuningCheckpoints", nil)
	require.Greater(t, g.calls("/checkpoints"), first, "it may have come since")
}

// lossesOf are the values of a job's curve.
func lossesOf(t *testing.T, frames data.Frames) []any {
	t.Helper()
	return values(t, frames[0], "train_loss")
}

// metricsBesideCheckpoints is a gateway with more training metrics than checkpoints.
func metricsBesideCheckpoints() *gateway {
	return &gateway{
		jobs:        []any{job("a", nil)},
		checkpoints: map[string]any{"a": []any{object{"id": "c", "created_at": ago(2 * time.Hour), "step_number": 50, "metrics": object{"train_loss": 2}}}},
		events:      map[string]any{"a": []any{}},
		series: map[string]any{"a": object{"metrics": []any{object{"metric_name": "train_loss", "data": []any{
			object{"timestamp": ago(2 * time.Hour), "value": 3}, object{"timestamp": ago(time.Hour), "value": 2.5},
		}}}}},
	}
}

// canBeLost makes the gateway respond with 404 to every request while the returned value is set.
func (g *gateway) canBeLost() *bool {
	lost := false
	g.handle = func(w http.ResponseWriter, _ *http.Request) bool {
		if lost {
			fail(w, http.StatusNotFound, "no such path")
		}
		return lost
	}
	return &lost
}

func TestOptionalEndpoint_GatewayOutage(t *testing.T) {
	g := metricsBesideCheckpoints()
	outage := g.canBeLost()
	client := newClient(t, g)
	curves := object{"jobIds": []string{"a"}}
	// The other source of curves is in the cache.
	fetch(t, client, "fineTuningCheckpoints", object{"jobIds": []string{"a"}})
	fetch(t, client, "fineTuningEvents", object{"jobIds": []string{"a"}})

	*outage = true
	for range 5 {
		_, err := try(t, client, "fineTuningCurves", curves)
		require.ErrorIs(t, err, transport.ErrNotFound, "checkpoints are not what was measured")
	}
	*outage = false
	require.Equal(t, []any{3.0, 2.5}, lossesOf(t, fetch(t, client, "fineTuningCurves", curves)))
}

func TestOptionalEndpoint_OutageNotice(t *testing.T) {
	for _, queryType := range []string{"fineTuningAnnotations", "fineTuningJobs"} {
		t.Run(queryType, func(t *testing.T) {
			g := metricsBesideCheckpoints()
			outage := g.canBeLost()
			client := newClient(t, g)
			fetch(t, client, "fineTuningJobs", object{"format": "count"}) // caches the list
			*outage = true
			require.Contains(t, notices(fetch(t, client, queryType, nil)), "can't be read")
		})
	}
}

func TestOptionalEndpoint_SingleMiss(t *testing.T) {
	g := metricsBesideCheckpoints()
	g.handle = func(w http.ResponseWriter, r *http.Request) bool {
		missed := strings.HasSuffix(r.URL.Path, "/metrics") && g.calls("/metrics") == 1
		if missed {
			fail(w, http.StatusNotFound, "no such path")
		}
		return missed
	}
	client := newClient(t, g)
	frames := fetch(t, client, "fineTuningCurves", object{"jobIds": []string{"a"}})
	require.Equal(t, []any{3.0, 2.5}, lossesOf(t, frames))
}

func TestOptionalEndpoint_MissCached(t *testing.T) {
	g := metricsBesideCheckpoints()
	g.jobs = append(g.jobs, job("b", nil))
	g.checkpoints["b"] = g.checkpoints["a"]
	g.events["b"] = []any{}
	c := &clock{at: noon}
	client := newClient(t, g, ticking(c))
	curves := func(id string) []any {
		return lossesOf(t, fetch(t, client, "fineTuningCurves", object{"jobIds": []string{id}}))
	}
	require.Equal(t, []any{3.0, 2.5}, curves("a"))
	for range 10 {
		require.Equal(t, []any{2.0}, curves("b"), "its checkpoints are all there is")
	}
	require.Equal(t, 2, g.calls("b/metrics"), "once more than needed, to be sure")

	g.series["b"] = g.series["a"]
	c.advance(6 * time.Minute)
	require.Equal(t, []any{3.0, 2.5}, curves("b"), "it has come since")
}
