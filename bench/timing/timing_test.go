package timing_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/bench/timing"
)

func TestCompare_TakesTurnsOverWhoGoesFirst(t *testing.T) {
	var order string
	work := func(name string) func() error {
		return func() error {
			order += name
			time.Sleep(70 * time.Millisecond) // one time is enough for a round
			return nil
		}
	}
	ours, theirs, err := timing.Compare(4, work("a"), work("b"))
	require.NoError(t, err)
	require.Equal(t, "ab"+"ba"+"ab"+"ba"+"ab", order, "the first round warms up")
	require.GreaterOrEqual(t, ours.Time, 70*time.Millisecond)
	require.GreaterOrEqual(t, theirs.Time, 70*time.Millisecond)
}
