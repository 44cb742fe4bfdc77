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

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/jobs"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

func TestRateLimit_FillsUp(t *testing.T) {
	const count = 250
	for name, limit := range map[string]limit{"token bucket": tokenBucket(60), "fixed window": fixedWindow(60)} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, finished(count), limit, func(t *testing.T, g *limited, client *jobs.Client) {
				began := time.Now()
				frames := fetch(t, client, "fineTuningCheckpoints", nil)
				require.Less(t, time.Since(began), 5*time.Second)
				require.Greater(t, frames[0].Rows(), 50)
				require.Regexp(t, `^The checkpoints of \d+ jobs are still being read, because the tuning gateway limits the rate of requests\. `+
					`Refresh to see more\.$`, notices(frames))

				refused := g.refusedDetails()
				require.LessOrEqual(t, refused, 8, "those that were under way at the first 429")
				for rows := frames[0].Rows(); rows < count; rows = frames[0].Rows() {
					require.Less(t, time.Since(began), 6*time.Minute)
					time.Sleep(30 * time.Second)
					within(t, 5*time.Second, "a refresh", func() { frames = fetch(t, client, "fineTuningCheckpoints", nil) })
					requireNo429(t, notices(frames))
					require.GreaterOrEqual(t, frames[0].Rows(), rows)
				}
				require.Empty(t, notices(frames))
				require.Equal(t, count, g.count("/checkpoints"), "each is requested once")
				require.LessOrEqual(t, g.refusedDetails()-refused, 2*8, "it keeps within the limit, and tries without one every five minutes")
			})
		})
	}
}

// It ends some time after the last query.
func TestRateLimit_BackgroundEnds(t *testing.T) {
	inBubble(t, finished(1500), tokenBucket(60), func(t *testing.T, g *limited, client *jobs.Client) {
		fetch(t, client, "fineTuningCheckpoints", nil)
		time.Sleep(11 * time.Minute)
		read := g.count("/checkpoints")
		require.Greater(t, read, 400)
		require.Less(t, read, 900)
		time.Sleep(time.Hour)
		require.Equal(t, read, g.count("/checkpoints"))
	})
}

// A single 429 does not slow a gateway down for long.
func TestRateLimit_NoLimit(t *testing.T) {
	n := 0
	once := func(time.Time) time.Duration {
		if n++; n == 30 {
			return time.Second
		}
		return 0
	}
	inBubble(t, finished(500), once, func(t *testing.T, g *limited, client *jobs.Client) {
		began := time.Now()
		for _, queryType := range []string{"fineTuningCheckpoints", "fineTuningEvents"} {
			for notices(fetch(t, client, queryType, nil)) != "" {
				require.Less(t, time.Since(began), 8*time.Minute)
				time.Sleep(10 * time.Second)
			}
		}
		require.Equal(t, 500, g.count("/events"))
	})
}

func TestRateLimit_ViewersShareFetches(t *testing.T) {
	inBubble(t, finished(100), tokenBucket(60), func(t *testing.T, g *limited, client *jobs.Client) {
		var viewers sync.WaitGroup
		for range 10 {
			viewers.Go(func() {
				for range 12 {
					requireNo429(t, notices(fetch(t, client, "fineTuningCheckpoints", nil)))
					time.Sleep(10 * time.Second)
				}
			})
		}
		viewers.Wait()
		require.Equal(t, 100, fetch(t, client, "fineTuningCheckpoints", nil)[0].Rows())
		require.Equal(t, 100, g.count("/checkpoints"))
	})
}

func TestRateLimit_RetryAfter(t *testing.T) {
	inBubble(t, finished(50), only(20), func(t *testing.T, g *limited, client *jobs.Client) {
		require.Equal(t, 19, fetch(t, client, "fineTuningCheckpoints", nil)[0].Rows(), "one request was for the list")
		refused := g.refusedDetails()
		require.LessOrEqual(t, refused, 8)
		for range 3 {
			time.Sleep(2 * time.Second)
			require.Equal(t, 19, fetch(t, client, "fineTuningCheckpoints", nil)[0].Rows())
		}
		require.Equal(t, refused, g.refusedDetails(), "no request for details during the wait")
	})
}

func TestRateLimit_NothingElseStarves(t *testing.T) {
	for name, test := range map[string]struct {
		limit limit
		// learning is the time until the client keeps within the limit, and most that of a response.
		learning, most time.Duration
	}{
		"token bucket": {tokenBucket(60), 0, 4 * time.Second},
		"fixed window": {fixedWindow(60), time.Minute, 6 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, finished(300), test.limit, func(t *testing.T, g *limited, client *jobs.Client) {
				fetch(t, client, "fineTuningEvents", nil)
				time.Sleep(test.learning)
				for i := range 30 {
					for what, request := range map[string]func() error{
						"files": func() error { _, err := try(t, client, "trainingFiles", nil); return err },
						"count": func() error { _, err := try(t, client, "fineTuningJobs", object{"format": "countByJob"}); return err },
						"check": func() error {
							ctx, cancel := context.WithTimeout(transport.Probe(context.Background()), 9*time.Second)
							defer cancel()
							_, err := client.Check(ctx)
							return err
						},
						"checkpoints of a job": func() error {
							_, err := try(t, client, "fineTuningCheckpoints", object{"jobIds": []string{fmt.Sprintf("job-%05d", 299-i)}})
							return err
						},
					} {
						within(t, test.most, what, func() { require.NoError(t, request(), what) })
					}
					time.Sleep(10 * time.Second)
				}
				require.Greater(t, g.count("/events"), 150, "and details are read meanwhile")
			})
		})
	}
}

// A query about one job goes before what is read in the background, also when lists and health checks have just been requested.
func TestRateLimit_BeforeBackground(t *testing.T) {
	inBubble(t, finished(300), tokenBucket(60), func(t *testing.T, _ *limited, client *jobs.Client) {
		fetch(t, client, "fineTuningEvents", nil)
		for i := range 30 {
			for range 4 {
				_, err := client.Check(transport.Probe(t.Context()))
				require.NoError(t, err)
			}
			fetch(t, client, "trainingFiles", nil)
			fetch(t, client, "fineTuningJobs", object{"format": "countByJob"})
			_, err := try(t, client, "fineTuningCheckpoints", object{"jobIds": []string{fmt.Sprintf("job-%05d", 299-i)}})
			require.NoError(t, err, "round %d", i)
			time.Sleep(10 * time.Second)
		}
	})
}

// Each load of the list takes ten requests.
// A count of ten pages takes 12 seconds at most, and what waits have at random besides.
func TestRateLimit_LongList(t *testing.T) {
	all := finished(200)
	all.pageSize = 20
	inBubble(t, all, tokenBucket(60), func(t *testing.T, g *limited, client *jobs.Client) {
		began := time.Now()
		for notices(fetch(t, client, "fineTuningCheckpoints", nil)) != "" {
			require.Less(t, time.Since(began), 8*time.Minute)
			time.Sleep(5 * time.Second)
			within(t, 15*time.Second, "count", func() { fetch(t, client, "fineTuningJobs", object{"format": "countByJob"}) })
		}
	})
}

func TestRateLimit_QueriesTakeTurns(t *testing.T) {
	inBubble(t, finished(500), tokenBucket(60), func(t *testing.T, g *limited, client *jobs.Client) {
		fetch(t, client, "fineTuningEvents", nil)
		time.Sleep(time.Minute)
		fetch(t, client, "fineTuningCheckpoints", nil)
		events, checkpoints := g.count("/events"), g.count("/checkpoints")
		time.Sleep(2 * time.Minute)
		events, checkpoints = g.count("/events")-events, g.count("/checkpoints")-checkpoints
		require.Greater(t, events, 30)
		require.Greater(t, checkpoints, 30)
	})
}

// Slow details leave slots of the concurrency limit to lists.
func TestFetches_SlowDetails(t *testing.T) {
	slow := finished(50)
	slow.handle = func(_ http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, "/events") {
			time.Sleep(20 * time.Second)
		}
		return false
	}
	inBubble(t, slow, tokenBucket(1000), func(t *testing.T, _ *limited, client *jobs.Client) {
		require.Contains(t, notices(fetch(t, client, "fineTuningJobs", nil)), "The start times of 50 jobs are still being read, and will be there after the next refresh.")
		within(t, time.Second, "files", func() { fetch(t, client, "trainingFiles", nil) })
	})
}

func TestRateLimit_NamedJobs(t *testing.T) {
	var chosen []any
	var ids []string
	for i := range 90 {
		ids = append(ids, fmt.Sprint("job-", i))
		chosen = append(chosen, job(ids[i], object{"status": "running", "finished_at": nil}))
	}
	named := object{"jobIds": ids, "onlyInRange": false}
	inBubble(t, documentedOnly(chosen...), tokenBucket(60), func(t *testing.T, _ *limited, client *jobs.Client) {
		frames := fetch(t, client, "fineTuningJobs", named)
		require.Greater(t, frames[0].Rows(), 50)
		require.Regexp(t, `The records of \d+ jobs are still being read, because the tuning gateway limits the rate of requests`, notices(frames))
		requireNo429(t, notices(frames))
		// Records of running jobs expire before the last of them have been read.
		time.Sleep(2 * time.Minute)
		require.Equal(t, 90, fetch(t, client, "fineTuningJobs", named)[0].Rows())
	})
	inBubble(t, documentedOnly(chosen...), only(0), func(t *testing.T, _ *limited, client *jobs.Client) {
		_, err := try(t, client, "fineTuningJobs", object{"jobIds": ids[:5]})
		require.ErrorIs(t, err, transport.ErrRateLimited)
		require.ErrorContains(t, err, "The platform is rate limiting the tuning gateway (429). Try again in 1h0m0s.")
	})
}

func TestRateLimit_NothingKnown(t *testing.T) {
	inBubble(t, finished(10), only(1), func(t *testing.T, _ *limited, client *jobs.Client) {
		_, err := try(t, client, "fineTuningCheckpoints", nil)
		require.ErrorIs(t, err, transport.ErrRateLimited, "an empty table would look like no checkpoints")
		require.ErrorContains(t, err, "The checkpoints of 10 jobs are still being read, because the tuning gateway limits the rate of requests. Try again in ")
		frames := fetch(t, client, "fineTuningJobs", nil)
		require.Equal(t, 10, frames[0].Rows(), "jobs are known")
		requireNo429(t, notices(frames))
	})
	for _, queryType := range []string{"fineTuningJobs", "fineTuningAnnotations", "fineTuningCheckpoints"} {
		inBubble(t, finished(10), only(0), func(t *testing.T, _ *limited, client *jobs.Client) {
			_, err := try(t, client, queryType, nil)
			require.ErrorIs(t, err, transport.ErrRateLimited)
			require.ErrorContains(t, err, "The platform is rate limiting the tuning gateway (429). Try again in 1h0m0s.")
		})
	}
}

// What is fetched in the background ends with the client.
func TestRateLimit_CloseEndsFetches(t *testing.T) {
	inBubble(t, finished(200), tokenBucket(60), func(t *testing.T, g *limited, client *jobs.Client) {
		fetch(t, client, "fineTuningEvents", nil)
		client.Close()
		synctest.Wait()
		before := g.count("")
		time.Sleep(time.Minute)
		require.Equal(t, before, g.count(""))
	})
}

func TestFetches_CanceledQuery(t *testing.T) {
	inBubble(t, finished(200), tokenBucket(60), func(t *testing.T, g *limited, client *jobs.Client) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := queryData(client, ctx, "fineTuningEvents", dataQuery(t, nil), false)
		require.ErrorIs(t, err, transport.ErrTimeout)
		before := g.count("")
		time.Sleep(time.Minute)
		require.Equal(t, before, g.count(""), "nobody waits for them")
	})
}
