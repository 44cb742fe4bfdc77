package prom_test

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom"
)

// twoSeries is an engine with two series of one metric, the newest sample of one of which is NaN. VictoriaMetrics knows now().
type twoSeries struct{ isVictoriaMetrics, pauses bool }

func (e *twoSeries) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	result := fmt.Sprintf(`{"metric":{"__name__":"up","instance":"a"},"value":[%[1]d,"1"]},{"metric":{"__name__":"up","instance":"b"},"value":[%[1]d,"NaN"]}`, noon.Unix())
	switch expr := r.FormValue("query"); {
	case expr == "now()" && !e.isVictoriaMetrics, strings.HasSuffix(expr, "()") && e.pauses:
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"status":"error","errorType":"bad_data","error":"no"}`)
		return
	case strings.HasPrefix(expr, "count"):
		result = `{"metric":{"__name__":"up"},"value":[0,"2"]}`
	}
	_, _ = io.WriteString(w, `{"status":"success","data":{"resultType":"vector","result":[`+result+`]}}`)
}

// NaN ends a series in VictoriaMetrics, and is a value in Prometheus. Which of them it is, is asked again after five minutes: another
// engine may have taken the place of the first.
func TestFederate_LearnsTheEngineAgain(t *testing.T) {
	of, clock := &twoSeries{isVictoriaMetrics: true}, newClock()
	client := prom.New(prom.Config{Transport: newTransport(t), Base: serve(t, of), Now: clock.now})
	t.Cleanup(client.Close)
	federate := func(to io.Writer) error { return client.Federate(t.Context(), url.Values{"match[]": {"up"}}, to) }
	federated := func() string {
		var b strings.Builder
		require.NoError(t, federate(&b))
		return b.String()
	}
	require.NotContains(t, federated(), "NaN")
	of.isVictoriaMetrics = false
	require.NotContains(t, federated(), "NaN")
	clock.advance(5 * time.Minute)
	of.pauses = true
	require.ErrorContains(t, federate(io.Discard), "no", "it says nothing about the engine")
	of.pauses = false
	require.Contains(t, federated(), `up{instance="b"} NaN`)
}
