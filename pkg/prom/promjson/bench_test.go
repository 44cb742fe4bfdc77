package promjson_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promjson"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
)

// floats is a matrix with numbers of series and of samples of each.
func floats(series, samples int) string {
	all := make([]string, series)
	for i := range all {
		values := make([]string, samples)
		for j := range values {
			values[j] = fmt.Sprintf(`[%d,"%g"]`, 1_700_000_000+60*j, float64(i*j)/7)
		}
		all[i] = fmt.Sprintf(`{"metric":{"__name__":"DCGM_FI_DEV_GPU_UTIL","gpu":"%d","instance":"node-%d:9400","modelName":"NVIDIA H100"},"values":[%s]}`,
			i%8, i/8, strings.Join(values, ","))
	}
	return matrix(strings.Join(all, ","))
}

func BenchmarkDecode(b *testing.B) {
	for name, body := range map[string]string{"64x360": floats(64, 360), "2048x120": floats(2048, 120)} {
		b.Run(name, func(b *testing.B) { benchmark(b, body) })
	}
}

func benchmark(b *testing.B, body string) {
	b.ReportAllocs()
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		_, err := promjson.Decode(strings.NewReader(body), promql.Limits{})
		require.NoError(b, err)
	}
}
