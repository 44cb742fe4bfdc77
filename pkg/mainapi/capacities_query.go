package mainapi

import (
	"context"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

const capacitiesPath = "/v1/capacities"

// capacitiesOptions are those of capacities.
type capacitiesOptions struct {
	ProductNames query.Choices `json:"productNames"`
	Locations    query.Choices `json:"locations"`
	Format       string        `json:"format"`
}

// capacityColumns are the columns that dashboards and alert rules depend on.
var capacityColumns = []columnModel{
	{Selector: "type", Type: typeString},
	{Selector: "location", Type: typeString},
	{Selector: "quantity", Type: typeNumber},
}

// queryCapacities is the available quantity of each product at each location: a table with the columns type, location and
// quantity, or, with the format "number" or alerting set, numbers with the labels type and location.
//
// Empty lists of products and locations mean all, blank variables none.
func (c *Client) queryCapacities(ctx context.Context, q request) (data.Frames, error) {
	o, err := query.Parse[capacitiesOptions](q.DataQuery)
	if err == nil {
		err = query.OneOf("Format", o.Format, "", "table", "number")
	}
	if err != nil {
		return nil, err
	}
	q.numeric = q.numeric || o.Format == "number"
	asList := listOptions{Path: capacitiesPath, Columns: capacityColumns}
	for _, filter := range []struct {
		field, param string
		query.Choices
	}{{"Products", "product_name", o.ProductNames}, {"Locations", "location", o.Locations}} {
		if q.notices.Blank(filter.field, filter.Choices) {
			return asList.frames(ctx, &list{}, q)
		}
		if len(filter.Values) > 0 {
			asList.Params = append(asList.Params, param{filter.param, strings.Join(filter.Values, ",")})
		}
	}
	return c.query(ctx, q, asList)
}
