//go:build engines

package engines

import (
	"context"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// platformRetention is how long the platform of these tests stores samples.
const platformRetention = 6 * time.Hour

// after is a dataset without the samples before a time, which must be before its split.
func (d dataset) after(start time.Time) dataset {
	cut := d
	cut.series = nil
	for _, s := range d.series {
		s.samples = slices.DeleteFunc(slices.Clone(s.samples), func(p sample) bool { return p.at.Before(start) })
		if len(s.samples) > 0 {
			cut.series = append(cut.series, s)
		}
	}
	return cut
}

// A query over the seam has, value for value, the result of an engine that still has all samples. The platform is an engine that
// has none before its retention; the archive is one with all of them.
func TestArchive_SameResults(t *testing.T) {
	start := map[string]func(context.Context, string, dataset) (*engine, error){prometheusName: startPrometheus, victoriaName: startVictoriaMetrics}
	const queries = 150 // for each engine
	onEach(t, func(t *testing.T, whole *engine) {
		cut, err := start[whole.name](t.Context(), t.TempDir(), samples.after(samples.to.Add(-platformRetention)))
		require.NoError(t, err)
		t.Cleanup(cut.stop)
		client := newArchived(t, cut.address, whole.address)
		random := rand.New(rand.NewPCG(seed, 3))
		joined := 0
		for range queries {
			expr := expressions[random.IntN(len(expressions))]
			if whole.name == victoriaName && dependsOnOthers(expr) {
				continue
			}
			w := window{step: []time.Duration{time.Minute, 2 * time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour}[random.IntN(5)]}
			longest := min(150*w.step, 40*time.Hour) + 7*time.Hour
			w.span = platformRetention - 3*time.Hour + time.Duration(random.IntN(int(longest)))
			got, err := client.QueryData(t.Context(), w.query(expr).of(t, w.start(), w.end()), false)
			require.NoError(t, err, expr)
			equal(t, whole, floatsIn(w.raw(t, whole, expr)), floatsOf(t, got), "%s over %s at %s", expr, w.span, w.step)
			isJoined := func(n data.Notice) bool {
				return strings.HasSuffix(n.Text, "are from the archive, and the others from the platform.")
			}
			if slices.ContainsFunc(got[0].Meta.Notices, isJoined) {
				joined++
			}
		}
		require.Greater(t, joined, 40)
	})
}

// dependsOnOthers reports whether VictoriaMetrics computes an expression by what it learns from the samples of the whole range, or
// stores its samples with a precision that depends on others.
func dependsOnOthers(expr string) bool {
	return slices.ContainsFunc([]string{"[", "short_lived", "restarted", "odd_values"}, func(part string) bool { return strings.Contains(expr, part) })
}

func newArchived(t *testing.T, platform, archive *url.URL) *prom.Client {
	t.Helper()
	config := func(title string, base *url.URL) prom.Config {
		sender, err := transport.New(transport.Options{
			HTTP: httpclient.Options{Timeouts: &httpclient.DefaultTimeoutOptions}, Service: transport.Service{Title: title, Host: base.Host},
		})
		require.NoError(t, err)
		return prom.Config{
			Transport: sender, Base: base, MinStep: interval, Now: func() time.Time { return samples.to },
			Cache: prom.Cache{MaxBytes: 64 << 20, RecentWindow: 10 * time.Minute},
		}
	}
	older, newer := config("The archive", archive), config("The metrics endpoint", platform)
	newer.Retention = platformRetention
	newer.Archive = &prom.Archive{Transport: older.Transport, Base: older.Base}
	client := prom.New(newer)
	t.Cleanup(client.Close)
	return client
}
