package platform

import (
	"net/http"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/metrics"
)

// GPUTime returns what the minutes of each GPU truly went into, from a time to another.
func (p *Platform) GPUTime(from, to time.Time) []metrics.GPUCauses { return p.store.GPUTime(from, to) }

// Slowdowns returns what truly slowed GPUs, nodes and pools somewhere from a time to another.
func (p *Platform) Slowdowns(from, to time.Time) []metrics.Slowdown {
	return p.store.Slowdowns(from, to)
}

// ofRange responds with what is true of a range: the day before now, unless start and end say otherwise.
func ofRange[T any](p *Platform, truth func(from, to time.Time) []T) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		now := p.config.Now()
		if from, to, ok := rangeOf(w, r.URL.Query(), now.Add(-24*time.Hour), now); ok {
			writeJSON(w, http.StatusOK, truth(from, to))
		}
	}
}
