package gateway

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"io"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

// archive is a checkpoint as it is downloaded: a LoRA adapter in a zip, whose weights are made while it
// is written. It is stored, not compressed, so its length is known and writing it costs next to nothing.
type archive struct {
	config  []byte // adapter_config.json
	weights int64  // bytes of adapter_model.bin
	seed    uint64
	at      time.Time
}

// adapterBytes is how long the weights of a checkpoint are.
const adapterBytes = 64 << 10

// archive returns the archive of a job's n-th checkpoint.
func (g *Gateway) archive(j *job, n int) *archive {
	weights := int64(adapterBytes)
	if checkpointID(j.seed, n) == LargeCheckpointID {
		weights = largeCheckpointBytes
	}
	config, _ := json.Marshal(record{"base_model_name_or_path": j.Model, "peft_type": "LORA", "r": 16}) // plain values can always be written
	return &archive{config, weights, scenario.Mix(j.seed, uint64(n)), time.UnixMilli(j.Checkpoints(g.now())[n]).UTC()}
}

// length is how many bytes write writes.
func (a *archive) length() int64 {
	empty := *a
	empty.weights = 0
	var buffer bytes.Buffer
	_ = empty.write(&buffer) // a buffer can't fail
	return int64(buffer.Len()) + a.weights
}

func (a *archive) write(w io.Writer) error {
	z := zip.NewWriter(w)
	add := func(name string) (io.Writer, error) {
		return z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store, Modified: a.at})
	}
	to, err := add("adapter_config.json")
	if err == nil {
		_, err = to.Write(a.config)
	}
	if err == nil {
		to, err = add("adapter_model.bin")
	}
	if err == nil {
		err = a.writeWeights(to)
	}
	return cmp.Or(err, z.Close())
}

func (a *archive) writeWeights(w io.Writer) error {
	block := make([]byte, 256<<10)
	for i := 0; i < len(block); i += 8 {
		binary.LittleEndian.PutUint64(block[i:], scenario.Mix(a.seed, uint64(i)))
	}
	for n, left := uint64(0), a.weights; left > 0; n++ {
		binary.LittleEndian.PutUint64(block, n) // no two blocks are alike
		piece := block[:min(left, int64(len(block)))]
		if _, err := w.Write(piece); err != nil {
			return err
		}
		left -= int64(len(piece))
	}
	return nil
}
