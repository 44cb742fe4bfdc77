package plugin_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"
)

// largeMatrix is the response of so many series on the steps of a minute from a start.
func largeMatrix(series int, start time.Time, steps int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"status":"success","data":{"resultType":"matrix","result":[`)
	for s := range series {
		fmt.Fprintf(&b, `%s{"metric":{"gpu":"%05d"},"values":[`, strings.Repeat(",", min(s, 1)), s)
		for i := range steps {
			fmt.Fprintf(&b, `%s[%d,"%v"]`, strings.Repeat(",", min(i, 1)), start.Unix()+int64(60*i), float64((s*31+i*17)%1000)/10)
		}
		b.WriteString(`]}`)
	}
	b.WriteString(`]}}`)
	return b.Bytes()
}

// A limit or a timeout of the program's own lifts no limit of the data source.
func TestResources_LimitsWithOwnTimeout(t *testing.T) {
	address := serveFunc(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.Copy(w, bytes.NewReader(largeMatrix(20, noon.Add(-time.Hour), 10)))
	})
	ds := newDatasource(t, address, values{"maxSeries": 10})
	for _, own := range []string{"", "&timeout=10s", "&limit=1000"} {
		status, body := resource(t, ds, &backend.CallResourceRequest{Path: "api/v1/query_range", URL: "api/v1/query_range?query=a&start=1748862000&end=1748865600&step=60" + own})
		require.Equal(t, http.StatusBadRequest, status, own)
		require.Contains(t, body, "The result has more than 10 series, which is the limit.", own)
	}
}
