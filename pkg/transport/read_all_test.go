package transport_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

func TestReadAll_Lengths(t *testing.T) {
	for _, length := range []int{0, 1, 4095, 4096, 4097, 12 << 10, 1 << 20, 5<<20 + 1} {
		body := bytes.Repeat([]byte("0123456789abcdef"), length/16+1)[:length]
		for name, r := range map[string]io.Reader{
			"at once":                      bytes.NewReader(body),
			"in halves":                    iotest.HalfReader(bytes.NewReader(body)),
			"the end along with the bytes": iotest.DataErrReader(bytes.NewReader(body)),
		} {
			got, err := transport.ReadAll(r)
			require.NoError(t, err)
			require.True(t, bytes.Equal(body, got), "%d bytes, %s", length, name)
		}
	}
}

func TestReadAll_Truncated(t *testing.T) {
	broken := errors.New("broken")
	got, err := transport.ReadAll(io.MultiReader(strings.NewReader("half"), iotest.ErrReader(broken)))
	require.ErrorIs(t, err, broken)
	require.Nil(t, got)
	_, err = transport.ReadAll(io.MultiReader(strings.NewReader("half"), iotest.ErrReader(io.ErrUnexpectedEOF)))
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
}

func TestReadAll_Memory(t *testing.T) {
	const length = 64 << 20
	result := testing.Benchmark(func(b *testing.B) {
		for range b.N {
			_, err := transport.ReadAll(io.MultiReader(io.LimitReader(zeros{}, length), iotest.ErrReader(errors.New("over the limit"))))
			require.Error(b, err)
		}
	})
	require.Less(t, result.AllocedBytesPerOp(), int64(length+4<<20))
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }
