package plugin_test

import (
	"net/url"
	"testing"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"
)

const someCapacities = `{"items":[{"type":"h100.8x","location":"eu-1","quantity":3},{"type":"a100.2x","location":"us-1","quantity":0},{"type":"a100.2x","location":"eu-1"}]}`

func TestCapacities_Table(t *testing.T) {
	var seen []*url.URL
	ds := newMainAPI(t, map[string]string{"/v1/capacities": someCapacities}, &seen)
	table := frames(t, ds, values{"queryType": "capacities", "productNames": []string{"h100.8x", "a100.2x", " "}, "locations": []string{}})[0]
	require.Equal(t, data.FrameTypeTable, table.Meta.Type)
	require.Equal(t, []string{"type", "location", "quantity"}, fieldNames(table))
	require.Equal(t, "h100.8x", *table.Fields[0].At(0).(*string))
	require.Equal(t, 3.0, *table.Fields[2].At(0).(*float64))
	require.Equal(t, 0.0, *table.Fields[2].At(1).(*float64))
	require.Nil(t, table.Fields[2].At(2), "what the platform does not say is not 0")
	require.Equal(t, "product_name=h100.8x%2Ca100.2x", seen[0].RawQuery, "an empty list means all")
}

func TestCapacities_BlankVariable(t *testing.T) {
	var seen []*url.URL
	ds := newMainAPI(t, map[string]string{"/v1/capacities": someCapacities}, &seen)
	table := frames(t, ds, values{"queryType": "capacities", "productNames": []string{" "}})[0]
	require.Zero(t, table.Rows())
	require.NotEmpty(t, fieldNames(table), "expressions need the columns")
	require.Equal(t, "Products: the variable has no value, so nothing is chosen.", table.Meta.Notices[0].Text)
	require.Empty(t, seen)

	table = frames(t, ds, values{"queryType": "capacities", "productNames": []string{"h100.8x", "$__all"}})[0]
	require.Equal(t, 3, table.Rows())
	require.Empty(t, seen[0].RawQuery)
}

func TestCapacities_AlertRule(t *testing.T) {
	ds := newMainAPI(t, map[string]string{"/v1/capacities": someCapacities}, nil)
	got := frames(t, ds, values{"queryType": "capacities", "format": "number"})
	require.Len(t, got, 2)
	require.Equal(t, data.FrameTypeNumericMulti, got[0].Meta.Type)
	require.Equal(t, data.Labels{"type": "h100.8x", "location": "eu-1"}, got[0].Fields[0].Labels)
	require.Equal(t, 3.0, *got[0].Fields[0].At(0).(*float64))
	require.Equal(t, "h100.8x · eu-1", got[0].Fields[0].Config.DisplayNameFromDS, "a stat panel has little room")

	response, err := ds.QueryData(t.Context(), &backend.QueryDataRequest{
		Headers: map[string]string{"FromAlert": "true"},
		Queries: []backend.DataQuery{dataQuery(t, "A", values{"queryType": "capacities", "format": "table"})}})
	require.NoError(t, err)
	require.Equal(t, data.FrameTypeNumericMulti, response.Responses["A"].Frames[0].Meta.Type, "in every format")
}

// A product at a location is one, however often the platform lists it, and so is an object with an id of its own. Other items may be equal.
func TestList_Repeated(t *testing.T) {
	ds := newMainAPI(t, map[string]string{
		"/v1/capacities": `{"items":[{"type":"h100.8x","location":"eu-1","quantity":3},{"type":"h100.8x","location":"eu-1","quantity":3}]}`,
		"/v1/disks":      `{"items":[{"id":"a","size":1},{"id":"b","size":1},{"id":"a","size":1},{"id":"a","size":2}]}`,
		"/v1/usage":      `{"items":[{"hours":1,"project":{"id":"p"}},{"hours":1,"project":{"id":"p"}}]}`,
	}, nil)
	require.Equal(t, 1, frames(t, ds, values{"queryType": "capacities"})[0].Rows())
	got := fromAlert(t, ds, values{"queryType": "capacities"})
	require.NoError(t, got.Error)
	require.Equal(t, 3.0, *got.Frames[0].Fields[0].At(0).(*float64))
	require.Equal(t, 3, frames(t, ds, values{"queryType": "platform", "path": "/v1/disks"})[0].Rows())
	require.Equal(t, 2, frames(t, ds, values{"queryType": "platform", "path": "/v1/usage"})[0].Rows())
}

func TestCapacities_UnknownFormat(t *testing.T) {
	ds := newMainAPI(t, map[string]string{"/v1/capacities": someCapacities}, nil)
	for format, want := range map[string]string{
		"gpus":  "Format: gpus is no longer there. Use a query of the type placement, which counts GPUs within the quotas, too.",
		"chart": "Format: use table or number.",
	} {
		response := runQueries(t, ds, dataQuery(t, "A", values{"queryType": "capacities", "format": format}))["A"]
		require.EqualError(t, response.Error, want)
		require.Equal(t, backend.StatusBadRequest, response.Status)
	}
}
