package results_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/results"
)

func TestLookup_TTL(t *testing.T) {
	p := newPlatform()
	c := newCache(t, p)
	loads := 0
	look := func(key string, partial bool) int {
		found, err := c.Lookup(context.Background(), key, func(context.Context) (*results.Lookup, error) {
			loads++
			return &results.Lookup{Value: loads, Bytes: 8, Partial: partial}, nil
		})
		require.NoError(t, err)
		return found.Value.(int)
	}
	require.Equal(t, 1, look("labels", false))
	p.advance(59 * time.Second)
	require.Equal(t, 1, look("labels", false))
	require.Equal(t, 2, look("values", true))
	require.Equal(t, 3, look("values", true), "a partial list is not cached")
	p.advance(time.Second)
	require.Equal(t, 4, look("labels", false))
	p.advance(-time.Hour)
	require.Equal(t, 5, look("labels", false), "an entry from the future is ignored")
}
