package gateway

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

// archive is a checkpoint as it is downloaded: a LoRA adapter in a zip, whose weights are made while it
// is written. It is stored, not compressed, so its length is known and writing it costs next to nothing.
type archive struct {
	config  []byte // adapter_config.json
	head    []byte // of adapter_model.safetensors: everything before the numbers
	weights int64  // bytes of numbers
	seed    uint64
	at      time.Time
}

// rank is that of the adapters, and width the number of bytes of one row of an adapter.
const rank, width = 16, 2 * rank

// archive returns the archive of a job's n-th checkpoint.
func (g *Gateway) archive(j *job, n int) *archive {
	weights := g.config.AdapterBytes
	if checkpointID(j.seed, n) == LargeCheckpointID {
		weights = largeCheckpointBytes
	}
	weights -= weights % width
	config, _ := json.MarshalIndent(record{ // plain values can always be written
		"base_model_name_or_path": j.Model, "peft_type": "LORA", "task_type": "CAUSAL_LM", "r": rank, "lora_alpha": 2 * rank,
		"lora_dropout": 0.05, "bias": "none", "target_modules": []string{"q_proj", "k_proj", "v_proj", "o_proj"},
	}, "", "  ")
	return &archive{config, safetensorsHead(weights), weights, scenario.Mix(j.seed, uint64(n)), time.UnixMilli(j.Checkpoints(g.now())[n]).UTC()}
}

// safetensorsHead is the beginning of a file with one tensor: the length of a JSON header, and the
// header, filled up to eight bytes. Format: https://huggingface.co/docs/safetensors/index
func safetensorsHead(weights int64) []byte {
	header, _ := json.Marshal(record{
		"__metadata__": record{"format": "pt"},
		"base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight": record{
			"dtype": "F16", "shape": []int64{weights / width, rank}, "data_offsets": []int64{0, weights},
		},
	})
	for len(header)%8 != 0 {
		header = append(header, ' ')
	}
	return append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...)
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
	for _, entry := range []struct {
		name string
		fill func(io.Writer) error
	}{{"adapter_config.json", a.writeConfig}, {"adapter_model.safetensors", a.writeWeights}} {
		to, err := z.CreateHeader(&zip.FileHeader{Name: entry.name, Method: zip.Store, Modified: a.at})
		if err == nil {
			err = entry.fill(to)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", entry.name, err)
		}
	}
	return z.Close()
}

func (a *archive) writeConfig(w io.Writer) error {
	_, err := w.Write(a.config)
	return err
}

func (a *archive) writeWeights(w io.Writer) error {
	if _, err := w.Write(a.head); err != nil {
		return err
	}
	block := make([]byte, 256<<10)
	for i := 0; i < len(block); i += 8 {
		// Small numbers of both signs, as halves.
		binary.LittleEndian.PutUint64(block[i:], scenario.Mix(a.seed, uint64(i))&0x8bff8bff8bff8bff|0x2000200020002000)
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
