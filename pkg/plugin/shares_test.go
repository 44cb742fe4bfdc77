package plugin

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

func TestShares(t *testing.T) {
	for name, test := range map[string]struct{ needs, shares []int }{
		"one query":                             {[]int{8}, []int{600}},
		"who needs less leaves the rest":        {[]int{8, 600, 8}, []int{8, 584, 8}},
		"equal shares of what is left":          {[]int{600, 100, 600, 8}, []int{246, 100, 246, 8}},
		"what nobody needs is divided equally":  {[]int{8, 100}, []int{254, 346}},
		"nobody gets more than an equal share ": {[]int{600, 600, 600}, []int{200, 200, 200}},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, test.shares, sharesOf(test.needs)) })
	}
	total, needs := 0, make([]int, 100)
	for i := range needs {
		needs[i] = 8 + i%3*296
	}
	for _, share := range sharesOf(needs) {
		require.GreaterOrEqual(t, share, 6)
		total += share
	}
	require.LessOrEqual(t, total, transport.MaxRequests)
}
