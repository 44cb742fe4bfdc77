package results_test

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
)

func TestList_TTL(t *testing.T) {
	p := newPlatform()
	c := newCache(t, p)
	loads := 0
	look := func(label string, partial bool) string {
		p.list = func() *promql.List {
			loads++
			list := &promql.List{Names: []string{strconv.Itoa(loads)}}
			if partial {
				list.Warnings = []string{"partial"}
			}
			return list
		}
		found, err := c.List(context.Background(), promql.ListQuery{Label: label})
		require.NoError(t, err)
		return found.Names[0]
	}
	require.Equal(t, "1", look("a", false))
	p.advance(59 * time.Second)
	require.Equal(t, "1", look("a", false))
	require.Equal(t, "2", look("b", true))
	require.Equal(t, "3", look("b", true), "a partial list is not cached")
	p.advance(time.Second)
	require.Equal(t, "4", look("a", false))
	p.advance(-time.Hour)
	require.Equal(t, "5", look("a", false), "an entry from the future is ignored")
}
