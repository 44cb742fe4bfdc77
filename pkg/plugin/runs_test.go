package plugin_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// runsPlatform is a simulator whose clock is the real one, because ended runs and running ones depend on the present.
type runsPlatform struct {
	*platform.Platform
	ds  *plugin.Datasource
	now time.Time
}

func newRunsPlatform(t *testing.T, changes values) runsPlatform {
	t.Helper()
	p, address := newPlatformWith(t, platform.Config{Now: time.Now, GPUsPerNode: 2})
	all := values{"intelligenceUrl": address + platform.TuningPath}
	for name, value := range changes {
		all[name] = value
	}
	ds := newDatasourceWith(t, address, all, map[string]string{
		"monitoringToken": platform.DefaultMonitoringToken, "inferenceApiKey": platform.DefaultInferenceAPIKey,
	})
	return runsPlatform{p, ds, time.Now().UTC().Truncate(time.Minute)}
}

// try runs a query over the day before now.
func (p runsPlatform) try(t *testing.T, saved values) backend.DataResponse {
	t.Helper()
	q := dataQuery(t, "A", saved)
	q.TimeRange = backend.TimeRange{From: p.now.Add(-24 * time.Hour), To: p.now}
	return runQueries(t, p.ds, q)["A"]
}

func (p runsPlatform) frames(t *testing.T, saved values) data.Frames {
	t.Helper()
	response := p.try(t, saved)
	require.NoError(t, response.Error)
	return response.Frames
}

var (
	jobSource = values{"kind": "fineTuning"}
	podSource = values{"kind": "series", "expr": "training_loss", "by": []string{"pod_name"}}
)

func TestRuns_Choice(t *testing.T) {
	p := newRunsPlatform(t, nil)
	all := p.frames(t, values{"queryType": "runs", "source": podSource, "measures": []string{}})[0]
	require.Greater(t, all.Rows(), 5)
	require.NotContains(t, fieldNames(all), "gpu_hours")
	// At some times of the day a run has just begun, and has no loss yet.
	measured := p.frames(t, values{"queryType": "runs", "source": podSource, "measures": []string{"last_loss"}})[0]
	losses, _ := measured.FieldByName("last_loss")
	row := 0
	for ; losses.NilAt(row); row++ {
	}
	id, _ := measured.Fields[0].ConcreteAt(row)
	one := p.frames(t, values{"queryType": "runs", "source": podSource, "measures": []string{"last_loss"}, "runs": []any{id, "nobody"}})[0]
	require.Equal(t, 1, one.Rows())
	require.Contains(t, noticeTexts(one), "No run in this range is nobody.")
	last, _ := one.FieldByName("last_loss")
	loss, _ := last.ConcreteAt(0)
	require.Greater(t, loss, 0.0)

	numbers := p.frames(t, values{"queryType": "runs", "source": podSource, "measures": []string{"last_loss"}, "runs": []any{id}, "format": "number"})
	require.Len(t, numbers, 1)
	require.Equal(t, data.FrameTypeNumericMulti, numbers[0].Meta.Type)
	require.Equal(t, id, numbers[0].Fields[0].Labels["run_id"])
	require.Equal(t, loss, numbers[0].Fields[0].At(0))
}

func TestRuns_Notices(t *testing.T) {
	p := newRunsPlatform(t, nil)
	manual := func(runs ...values) values { return values{"kind": "manual", "runs": runs} }
	for name, test := range map[string]struct {
		saved values
		want  string
	}{
		"no series":           {values{"source": values{"kind": "series", "expr": `training_loss{pod_name="nobody"}`, "by": "pod_name"}}, "No sample of training_loss{pod_name=\"nobody\"} is in this range. Choose an earlier or a longer one."},
		"no run by hand":      {values{"source": manual()}, "No run is given."},
		"no job":              {values{"source": values{"kind": "fineTuning", "models": "gpt-0"}}, "No job has the model gpt-0."},
		"a run in the future": {values{"source": manual(values{"name": "later", "from": "2100-01-01", "to": "2100-01-02"})}, "later has not started yet."},
		"older than samples":  {values{"source": manual(values{"name": "old", "from": "now-90d", "to": "now-80d"})}, "The platform stores metrics for 30 days, and has none of old."},
		"partly older":        {values{"source": manual(values{"name": "long", "from": "now-31d", "to": "now-29d"})}, "The numbers of long are about the time since then."},
		"two of one name":     {values{"source": manual(values{"name": "a", "from": "now-3h", "to": "now-2h"}, values{"name": "a", "from": "now-2h", "to": "now-1h"})}, `2 runs are named "a".`},
		"no price":            {values{"source": manual(values{"name": "a", "from": "now-3h", "to": "now-2h"}), "measures": []string{"cost"}}, "No prices are set"},
		"no such baseline":    {values{"source": manual(values{"name": "a", "from": "now-3h", "to": "now-2h"}), "baseline": "b"}, "The baseline b is not among the runs."},
		"no such GPUs":        {values{"source": manual(values{"name": "a", "from": "now-3h", "to": "now-2h"}), "selector": `cluster_id="none"`}, "No GPU metrics match the selector during a."},
		"1,000 runs":          {values{"source": manual(slices.Repeat([]values{{"name": "a", "from": "now-3h", "to": "now-2h"}}, 1000)...), "measures": []string{}}, "Only the newest 200 of 1000 runs are used."},
		"a blank variable":    {values{"source": jobSource, "runs": ""}, "Runs: the variable has no value"},
	} {
		t.Run(name, func(t *testing.T) {
			test.saved["queryType"] = "runs"
			require.Contains(t, noticeTexts(p.frames(t, test.saved)[0]), test.want)
		})
	}
}

func TestRuns_Errors(t *testing.T) {
	p := newRunsPlatform(t, nil)
	manual := func(from, to string) values {
		return values{"kind": "manual", "runs": []values{{"name": "a", "from": from, "to": to}}}
	}
	for name, test := range map[string]struct {
		saved values
		want  string
	}{
		"an unknown source":     {values{"source": values{"kind": "notebook"}}, `Runs from: "notebook" is not known.`},
		"ends before it starts": {values{"source": manual("now-1h", "now-2h")}, "Runs: a ends before it starts."},
		"no time":               {values{"source": manual("yesterday", "")}, `Runs: the start of a, "yesterday", is not a time.`},
		"no selector":           {values{"source": values{"kind": "series", "by": "pod_name"}}, "Series: it is empty."},
		"no labels":             {values{"source": values{"kind": "series", "expr": "training_loss"}}, "Labels: name the labels that tell runs apart"},
		"no label name":         {values{"source": values{"kind": "series", "expr": "training_loss", "by": "a)b"}}, `Labels: "a)b" is not the name of a label.`},
		"no duration":           {values{"source": values{"kind": "series", "expr": "training_loss", "by": "a", "maxGap": "soon"}}, `Longest gap: "soon" is not a duration.`},
		"an unknown measure":    {values{"source": jobSource, "measures": []string{"joy"}}, `Measures: "joy" is not known.`},
		"an unknown format":     {values{"source": jobSource, "format": "csv"}, `Format: "csv" is not known.`},
		"a broken selector":     {values{"source": manual("now-2h", "now-1h"), "selector": `cluster_id=`}, "parse error"},
		"a macro within quotes": {values{"queryType": "runComparison", "source": podSource, "expr": `label_replace(up, "a", "it's $selector", "", "")`}, "PromQL: $selector is within quotes"},
		"more than matchers":    {values{"source": jobSource, "selector": `a="b"} or up{c="d"`}, "GPUs: it is more than label matchers."},
		"no expression":         {values{"queryType": "runComparison", "source": jobSource}, "PromQL: it is empty."},
		"a metric of series":    {values{"queryType": "runComparison", "source": podSource, "metric": "train_loss"}, "Metric: only fine-tuning jobs have training metrics."},
		"steps of PromQL":       {values{"queryType": "runComparison", "source": podSource, "axis": "step"}, "X axis: only training metrics of fine-tuning jobs have steps."},
		"no baseline":           {values{"queryType": "runComparison", "source": podSource, "difference": true}, "Baseline: a difference needs a baseline."},
		"an unknown axis":       {values{"queryType": "runComparison", "source": podSource, "axis": "moon"}, `X axis: "moon" is not known.`},
	} {
		t.Run(name, func(t *testing.T) {
			if test.saved["queryType"] == nil {
				test.saved["queryType"] = "runs"
			}
			response := p.try(t, test.saved)
			require.ErrorContains(t, response.Error, test.want)
			require.EqualValues(t, 400, response.Status)
		})
	}
}

// How long the platform stores samples is a setting.
func TestRuns_Retention(t *testing.T) {
	old := values{"queryType": "runs", "measures": []string{"gpus"}, "selector": "{}", "source": values{"kind": "manual", "runs": []values{{"name": "old", "from": "now-60d", "to": "now-59d"}}}}
	for retention, isStored := range map[string]bool{"": false, "90d": true} {
		p := newRunsPlatform(t, values{"archive": values{"retention": retention}})
		frame := p.frames(t, old)[0]
		require.Equal(t, isStored, p.Counters().Count("", "", -1) == 2, "one request for the labels of GPUs, and one for the number of them")
		require.Equal(t, !isStored, strings.Contains(noticeTexts(frame), "The platform stores metrics for 30 days, and has none of old."))
	}
}

// A wrong price costs a query its cost, and nothing else.
func TestRuns_Prices(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		prices any
		want   string
	}{
		"text":           {values{"gpuHour": values{"H100": "cheap"}}, "The prices in the data source's settings can't be read: a price is a number"},
		"negative":       {values{"kilowattHour": -1}, "A price in the data source's settings is negative."},
		"no currency":    {values{"kilowattHour": 1, "currency": "dollars"}, `The currency in the data source's settings, "dollars", is not a code`},
		"another model":  {values{"gpuHour": values{"H100": 2}}, "There is no price of a GPU-hour of NVIDIA"},
		"not an object":  {"free", "The prices in the data source's settings can't be read"},
		"energy, priced": {values{"kilowattHour": "1", "currency": "eur"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := newRunsPlatform(t, values{"prices": test.prices})
			manual := values{"kind": "manual", "runs": []values{{"name": "a", "from": "now-3h", "to": "now-2h"}}}
			frame := p.frames(t, values{"queryType": "runs", "source": manual, "selector": `nodepool_name="finetuning"`, "measures": []string{"cost", "energy"}})[0]
			row := rowsOf(frame)[0]
			require.NotNil(t, row["energy"])
			if test.want == "" {
				require.Equal(t, row["energy"], row["cost"])
				cost, _ := frame.FieldByName("cost")
				require.Equal(t, "currencyEUR", cost.Config.Unit)
				return
			}
			require.Nil(t, row["cost"])
			require.Contains(t, noticeTexts(frame), test.want)
		})
	}
}

// Numbers of ended runs stay in the cache.
func TestRuns_Cached(t *testing.T) {
	p := newRunsPlatform(t, nil)
	manual := values{"kind": "manual", "runs": []values{{"name": "a", "from": "now-3d", "to": "now-2d"}}}
	saved := values{"queryType": "runs", "source": manual}
	// now-3d moves with the clock, so that these runs are given as times.
	at := func(ago time.Duration) string { return p.now.Add(-ago).Format(time.RFC3339) }
	manual["runs"] = []values{{"name": "a", "from": at(72 * time.Hour), "to": at(48 * time.Hour)}, {"name": "b", "from": at(40 * time.Hour), "to": at(30 * time.Hour)}}
	p.frames(t, saved)
	first := p.Counters().Count("", "", -1)
	require.NotZero(t, first)
	p.frames(t, saved)
	require.Equal(t, first, p.Counters().Count("", "", -1))
}
