package mainapi_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

const someCapacities = `{"items":[{"type":"h100.8x","location":"eu-1","quantity":3},{"type":"a100.2x","location":"us-1","quantity":0},{"type":"a100.2x","location":"eu-1"}]}`

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
	response := run(t, ds, values{"queryType": "capacities", "format": "chart"})
	require.EqualError(t, response.Error, `Format: "chart" is not known. Use table or number.`)
	require.ErrorAs(t, response.Error, new(*query.Error))
}
