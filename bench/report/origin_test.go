package report_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/bench/report"
)

func TestThisOrigin(t *testing.T) {
	origin := report.ThisOrigin(t.Context())
	require.Regexp(t, `^\d{4}-\d\d-\d\d$`, origin.Date)
	require.NotEmpty(t, origin.Commit)
	require.NotEmpty(t, origin.Processor)
	require.Positive(t, origin.Cores)
	require.Regexp(t, `^go1\.`, origin.Go)
}
