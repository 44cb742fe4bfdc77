package tuning

import queries "github.com/gpucloud/gpucloud-platform-datasource/pkg/query"

// maxQueryBytes bounds a saved query.
const maxQueryBytes = 1 << 20

// bounded is an error if the query holds more than it may.
func (q *query) bounded() error {
	for _, option := range []struct {
		field string
		queries.Choices
	}{
		{"Job", q.JobIDs}, {"Status", q.Statuses}, {"Model", q.Models}, {"Show", q.Show},
		{"Metric", q.Metrics}, {"Level", q.Levels}, {"Purpose", q.Purposes},
	} {
		if err := option.Check(option.field); err != nil {
			return err
		}
	}
	return nil
}
