package promjson_test

import (
	"strings"
	"testing"
	"testing/iotest"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promjson"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
)

func success(data string) string {
	return `{"status":"success","data":` + data + `,"warnings":["w"],"infos":["i"],"isPartial":true}`
}

// lists are the data of a list of each kind.
var lists = []struct {
	ofSeries bool
	data     string
	want     promql.List
}{
	{false, `["a","b\"\u00fc",""]`, promql.List{Names: []string{"a", `b"ü`, ""}}},
	{false, `[ ]`, promql.List{}},
	{false, `null`, promql.List{}},
	{true, `[{"__name__":"up","a":"b"},{}]`, promql.List{Series: []data.Labels{{"__name__": "up", "a": "b"}, {}}}},
}

func TestDecodeList(t *testing.T) {
	for _, test := range lists {
		got, err := promjson.DecodeList(iotest.OneByteReader(strings.NewReader(success(test.data))), test.ofSeries, 0)
		require.NoError(t, err, test.data)
		test.want.Warnings, test.want.Infos = []string{"w", "The platform could not reach all of its data, so this result is partial."}, []string{"i"}
		require.Equal(t, &test.want, got, test.data)
	}
}

func TestDecodeList_Malformed(t *testing.T) {
	for _, test := range lists {
		body := success(test.data)
		for i := range body {
			_, err := promjson.DecodeList(strings.NewReader(body[:i]), test.ofSeries, 0)
			require.ErrorIs(t, err, promjson.ErrMalformed, "%s, cut after %d bytes", test.data, i)
		}
	}
	for data, ofSeries := range map[string]bool{
		`[1]`: false, `[null]`: false, `{}`: false, `["a"]`: true, `[{"a":1}]`: true,
	} {
		_, err := promjson.DecodeList(strings.NewReader(success(data)), ofSeries, 0)
		require.ErrorIs(t, err, promjson.ErrMalformed, data)
	}
	_, err := promjson.DecodeList(strings.NewReader(`{"status":"success"}`), false, 0)
	require.ErrorIs(t, err, promjson.ErrMalformed)
	_, err = promjson.DecodeList(strings.NewReader(`{"status":"error","errorType":"bad_data","error":"boom"}`), false, 0)
	require.Equal(t, promjson.Failure("boom"), err)
}

func TestDecodeList_Limit(t *testing.T) {
	for _, test := range []struct {
		ofSeries bool
		data     string
	}{
		{false, `["a","b","c"]`}, {true, `[{},{},{}]`},
	} {
		_, err := promjson.DecodeList(strings.NewReader(success(test.data)), test.ofSeries, 3)
		require.NoError(t, err)
		_, err = promjson.DecodeList(strings.NewReader(success(test.data)), test.ofSeries, 2)
		require.ErrorContains(t, err, "more than 2 entries")
	}
}
