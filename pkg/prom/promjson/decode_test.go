package promjson_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promjson"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	columns "github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
)

func TestDecode_TooLong(t *testing.T) {
	for name, body := range map[string]string{
		"a text":                   `{"x":"` + strings.Repeat("a", 4<<20+1) + `"}`,
		"a text that never ends":   `{"x":"` + strings.Repeat("a", 5<<20),
		"a text of escapes":        `{"x":"` + strings.Repeat(`\"`, 2<<20+1) + `"}`,
		"the labels of one series": `{"status":"success","data":{"resultType":"vector","result":[{"metric":{` + manyLabels(10_001) + `},"value":[1,"1"]}]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := promjson.Decode(strings.NewReader(body), promql.Limits{})
			require.ErrorIs(t, err, promjson.ErrTooLong)
		})
	}
	_, err := promjson.Decode(strings.NewReader(`{"status":"success","data":{"resultType":"vector","result":[]},"x":"`+strings.Repeat("a", 4<<20)+`"}`), promql.Limits{})
	require.NoError(t, err)
}

func TestDecode_ReaderError(t *testing.T) {
	broken := errors.New("connection reset")
	_, err := promjson.Decode(io.MultiReader(strings.NewReader(`{"status":"succ`), iotest.ErrReader(broken)), promql.Limits{})
	require.ErrorIs(t, err, broken)
}

func manyLabels(n int) string {
	labels := make([]string, n)
	for i := range labels {
		labels[i] = fmt.Sprintf(`"l%d":""`, i)
	}
	return strings.Join(labels, ",")
}

// plain names the values of a series.
func plain(*columns.Series) (name string, display *string) { return "Value", nil }
