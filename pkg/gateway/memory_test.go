package gateway

import (
	"encoding/json"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/memorytest"
)

// The bound of the cache depends on the estimates, so they must not be below the memory that parsed responses take.
func TestMemory_OfEntries(t *testing.T) {
	const n = 1_000
	for name, parsed := range map[string]func(i int) func() (any, int){
		"events": func(i int) func() (any, int) {
			return parsing(`{"id":"e-%d","created_at":1748865600,"level":"info","type":"metrics","message":"Step %d","data":{"step":1,"train_loss":0.5}}`, i, parseEvent)
		},
		"messages": func(i int) func() (any, int) {
			return parsing(`{"id":"e-%d","created_at":1748865600,"level":"info","type":"message","message":"Step %d/100: training loss=0.42"}`, i, parseEvent)
		},
		"checkpoints": func(i int) func() (any, int) {
			return parsing(`{"id":"c-%d","created_at":1748865600,"step_number":%d,"metrics":{"train_loss":0.5,"valid_loss":0.4}}`, i, parseCheckpoint)
		},
		"jobs": func(i int) func() (any, int) {
			return parsing(`{"id":"ftjob-%d","status":"succeeded","model":"llama-8b","suffix":"run-%d","created_at":1748865600,"finished_at":1748869200,"trained_tokens":5,"hyperparameters":{"n_epochs":3},"metadata":{"gpus":"8","team":"x"}}`, i, parseJob)
		},
		"files": func(i int) func() (any, int) {
			return parsing(`{"id":"file-%d","filename":"train-%d.jsonl","purpose":"fine-tune","bytes":1000,"created_at":1748865600}`, i, parseFile)
		},
	} {
		t.Run(name, func(t *testing.T) {
			all := make([]any, 0, n)
			estimate := 0
			before := memorytest.Held()
			for i := range n {
				item, memory := parsed(i)()
				all = append(all, item)
				estimate += memory
			}
			taken := float64(memorytest.Held() - before)
			require.Greater(t, float64(estimate), 0.8*taken)
			require.Less(t, float64(estimate), 4*taken)
			runtime.KeepAlive(all)
		})
	}
}

// parsing parses a record with a number in two places, and estimates the result.
func parsing[T any](format string, i int, parse func(record) T) func() (any, int) {
	return func() (any, int) {
		text := fmt.Sprintf(format, i, i)
		item := parse(query.ParseRecord(json.RawMessage(text)))
		return &item, len(text) + recordBytes
	}
}
