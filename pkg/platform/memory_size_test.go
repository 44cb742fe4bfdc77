package platform

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/ohler55/ojg/oj"
	"github.com/stretchr/testify/require"
)

// The bound of the cache depends on the estimate, so it must be near to the memory that a response takes.
func TestMemorySize(t *testing.T) {
	repeat := func(n int, item func(i int) string) string {
		var items []string
		for i := range n {
			items = append(items, item(i))
		}
		return `{"items":[` + strings.Join(items, ",") + `]}`
	}
	for name, body := range map[string]string{
		"small objects": repeat(20_000, func(i int) string { return fmt.Sprintf(`{"id":"vm-%d","n":%d}`, i, i+1000) }),
		"larger objects": repeat(4_000, func(i int) string {
			return fmt.Sprintf(`{"a":"%d","b":1.5,"c":true,"d":null,"e":"eu","f":"x","g":2.5,"h":"y","i":"z","j":7000}`, i)
		}),
		"numbers":    repeat(200_000, func(i int) string { return fmt.Sprint(i + 1000) }),
		"long texts": repeat(200, func(int) string { return `"` + strings.Repeat("x", 20_000) + `"` }),
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			value, err := oj.ParseString(body)
			require.NoError(t, err)
			for range 3 { // the parser's pools survive two collections
				runtime.GC()
			}
			runtime.ReadMemStats(&after)
			memory := float64(after.HeapAlloc) - float64(before.HeapAlloc)
			require.InDelta(t, 1, float64(memorySize(value))/memory, 0.4, "%d of %.0f bytes", memorySize(value), memory)
			runtime.KeepAlive(value)
		})
	}
}
