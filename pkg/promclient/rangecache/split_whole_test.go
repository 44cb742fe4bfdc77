package rangecache_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient/promjson"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient/rangecache"
)

// Warnings of all parts are shown. Nothing is cached, because a warning may mean that data is missing.
func TestSplit_Warnings(t *testing.T) {
	p := newSlowPlatform(up)
	c := newSplitter(t, p, partTime)
	learn(t, c, p)
	var mu sync.Mutex
	n := 0
	p.change = func(r *rangecache.Response) {
		mu.Lock()
		defer mu.Unlock()
		n++
		r.Warnings, r.Infos = []string{"a shard is away", fmt.Sprint("warning ", n%2)}, []string{notACounter("a")}
	}
	for range 2 {
		got, origin, err := c.Range(context.Background(), ofDays(30, "up"), p.fetch(halfHour))
		require.NoError(t, err)
		require.Equal(t, []string{"a shard is away", "warning 0", "warning 1"}, got.Warnings)
		require.Equal(t, []string{notACounter("a")}, got.Infos)
		require.Equal(t, p.uncached(ofDays(30, "up")).Frames[0].Rows(), got.Frames[0].Rows())
		require.Zero(t, origin.CachedSteps)
		require.Len(t, p.takeRequests(), 6)
	}
}

// Responses that can't be merged are requested whole, and so is the query from then on.
func TestSplit_PartsThatDoNotMerge(t *testing.T) {
	for name, change := range map[string]func(*rangecache.Response){
		"native histograms":         func(r *rangecache.Response) { r.Frames[0].Fields[1] = data.NewField("Value", nil, []string{"x"}) },
		"series out of order":       func(r *rangecache.Response) { r.Frames = append(r.Frames, r.Frames[0]) },
		"infos about each response": func(r *rangecache.Response) { r.Infos = []string{"2 more info annotations omitted"} },
	} {
		t.Run(name, func(t *testing.T) {
			p := newSlowPlatform(up)
			c := newSplitter(t, p, partTime)
			learn(t, c, p)
			p.change = change
			for _, requests := range []int{6 + 1, 1} {
				got, _, err := c.Range(context.Background(), ofDays(30, "up"), p.fetch(halfHour))
				require.NoError(t, err)
				want := p.respond(noon.Add(-30*day), noon, halfHour)
				change(want)
				require.Equal(t, want.Frames, got.Frames)
				require.Equal(t, want.Infos, got.Infos)
				require.Len(t, p.takeRequests(), requests)
			}
			p.change = nil
			p.advance(2 * time.Hour)
			query(t, c, p, ofDays(30, "up"))
			require.Len(t, p.takeRequests(), 6, "after a while it is split again")
		})
	}
}

// A range is requested whole if its parts are over a limit together: the error has the numbers of the whole response then.
func TestSplit_OverALimit(t *testing.T) {
	p := newSlowPlatform(up)
	c := newSplitter(t, p, partTime)
	learn(t, c, p)
	totals := map[*promjson.Total]bool{}
	var mu sync.Mutex
	fetch := func(ctx context.Context, r rangecache.RangeRequest) (*rangecache.Response, error) {
		mu.Lock()
		totals[r.Total] = true
		mu.Unlock()
		if r.Part {
			return nil, &promjson.LimitError{}
		}
		return p.fetch(halfHour)(ctx, r)
	}
	_, origin, err := c.Range(context.Background(), ofDays(30, "up"), fetch)
	require.NoError(t, err)
	require.Zero(t, origin.CachedSteps)
	require.Len(t, totals, 2, "all parts are counted together")
}

func TestSplit_NotWhileThePlatformRefuses(t *testing.T) {
	p := newSlowPlatform(up)
	c := newSplitter(t, p, partTime)
	learn(t, c, p)
	c.Refused()
	query(t, c, p, ofDays(30, "up"))
	require.Len(t, p.takeRequests(), 1)
	p.advance(59 * time.Second)
	query(t, c, p, ofDays(30, "up + 1"))
	require.Len(t, p.takeRequests(), 1)
	p.advance(time.Second)
	query(t, c, p, ofDays(30, "up + 2"))
	require.Len(t, p.takeRequests(), 6)
}

func TestSplit_RangeOffTheGrid(t *testing.T) {
	p := newSlowPlatform(up)
	p.aligns = true
	c := newSplitter(t, p, partTime)
	learn(t, c, p)
	q := ofDays(30, "up")
	q.Start, q.End = q.Start.Add(minute), q.End.Add(minute)
	got, _, err := c.Range(context.Background(), q, p.fetch(halfHour))
	require.NoError(t, err)
	requireSameResult(t, p.uncached(q), got)
	require.Len(t, p.takeRequests(), 1, "the engine would move each part")
}

func TestSplit_LongerRange(t *testing.T) {
	p := newSlowPlatform(up)
	c := newSplitter(t, p, partTime)
	learn(t, c, p)
	query(t, c, p, ofDays(7, "up"))
	p.takeRequests()
	query(t, c, p, ofDays(30, "up"))
	requests := p.takeRequests()
	require.Len(t, requests, 5+1, "23 days in parts of 250 ms, and the recent window")
	require.True(t, slices.ContainsFunc(requests, func(r string) bool { return strings.HasSuffix(r, "-11:30") }), "the rest is cached: %v", requests)
}

func TestSplit_CanceledWithItsLastCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newSlowPlatform(up)
		c := newSplitter(t, p, partTime)
		learn(t, c, p)
		p.hold()
		w := start(c, p, ofDays(30, "up"))
		synctest.Wait()
		w.cancel()
		<-w.done
		synctest.Wait()
		require.Len(t, p.ended, 6)
		p.gate = nil
		p.takeRequests()
		query(t, c, p, ofDays(30, "up"))
		require.Len(t, p.takeRequests(), 6, "the slots are free again")
	})
}
