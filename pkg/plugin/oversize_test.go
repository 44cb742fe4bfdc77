package plugin_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// longText is longer than anything that a platform should send.
var longText = strings.Repeat("x", 1<<18)

// Values of any size are in the result, or cause an error. Nothing is truncated without a notice.
func TestOversize_Responses(t *testing.T) {
	t.Parallel()
	manyLabels := values{}
	for i := range 5_000 {
		manyLabels[fmt.Sprintf("label_%04d", i)] = "value"
	}
	var manyItems, manyJobs []values
	for i := range 10_000 {
		manyItems = append(manyItems, values{"type": fmt.Sprint("t", i), "location": "a", "quantity": i})
	}
	for i := range 100 {
		manyJobs = append(manyJobs, values{"id": fmt.Sprint("ftjob-", i), "status": "failed", "created_at": noon.Add(-time.Minute).Unix()})
	}
	series := func(labels values) string {
		return encode(values{"status": "success", "data": values{"resultType": "matrix", "result": []values{
			{"metric": labels, "values": []any{[]any{noon.Unix(), "1"}}},
		}}})
	}
	list := func(jobs ...values) string { return encode(values{"has_more": false, "data": jobs}) }
	for name, test := range map[string]struct {
		body  string
		saved values
		rows  int
		note  string
	}{
		"a label":     {series(values{"a": longText}), values{"expr": "up"}, 1, ""},
		"labels":      {series(manyLabels), values{"expr": "up"}, 1, ""},
		"a legend":    {series(values{"a": longText}), values{"expr": "up", "legendFormat": strings.Repeat("{{a}}", 200)}, 1, ""},
		"a job's id":  {list(values{"id": longText, "status": "running", "created_at": noon.Unix()}), values{"queryType": "fineTuningJobs", "onlyInRange": false}, 1, ""},
		"a job":       {list(values{"id": "a", "status": longText, "model": longText, "suffix": longText}), values{"queryType": "fineTuningJobs", "onlyInRange": false}, 1, ""},
		"jobs":        {list(manyJobs...), values{"queryType": "fineTuningJobs", "format": "count", "onlyInRange": false}, 1, ""},
		"annotations": {list(manyJobs...), values{"queryType": "fineTuningAnnotations", "show": []string{"jobs"}}, 100, ""},
		"an item":     {encode(values{"items": []values{{"type": longText}}}), values{"queryType": "platform", "path": "/v1/x"}, 1, ""},
		"items":       {encode(values{"items": manyItems}), values{"queryType": "capacities"}, 10_000, ""},
		"a member":    {encode(values{"items": []values{{longText: 1}}}), values{"queryType": "platform", "path": "/v1/x"}, 1, ""},
		"a next page": {encode(values{"items": []values{{"a": 1}}, "next_token": longText}), values{"queryType": "platform", "path": "/v1/x"}, 2, "has been read already"},
	} {
		t.Run(name, func(t *testing.T) {
			p, settings := threeServices(t)
			p.reset(test.body)
			got := frames(t, newInstance(t, settings(nil, nil)), test.saved)
			require.Equal(t, test.rows, got[0].Rows())
			if test.note != "" {
				require.Contains(t, got[0].Meta.Notices[0].Text, test.note)
			}
			_, err := got.MarshalArrow()
			require.NoError(t, err)
		})
	}
}
