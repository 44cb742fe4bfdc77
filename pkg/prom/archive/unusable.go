package archive

import (
	"context"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
)

// Unusable is a source that can't be used, for example because of its settings. All of its queries have the error.
type Unusable struct{ Err error }

// Range returns the error.
func (u Unusable) Range(context.Context, promql.Query) (*promql.Result, error) { return nil, u.Err }

// Instant returns the error.
func (u Unusable) Instant(context.Context, promql.Query) (*promql.Result, error) { return nil, u.Err }

// List returns the error.
func (u Unusable) List(context.Context, promql.ListQuery) (*promql.List, error) { return nil, u.Err }
