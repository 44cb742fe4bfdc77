package gateway

import (
	"net/http"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/internal/respond"
)

// model is a base model.
type model struct {
	id, name, owner  string
	tuning, inferred bool
}

var models = []model{
	{"meta-llama/Llama-3.3-70B-Instruct", "Llama 3.3 70B Instruct", "meta-llama", true, true},
	{"Qwen/Qwen3-235B-A22B", "Qwen3 235B A22B", "Qwen", true, true},
	{"meta-llama/Llama-3.1-8B-Instruct", "Llama 3.1 8B Instruct", "meta-llama", true, true},
	{"Qwen/Qwen3-32B", "Qwen3 32B", "Qwen", true, true},
	{"google/gemma-3-27b-it", "Gemma 3 27B", "google", true, false},
	{"meta-llama/Llama-3.2-3B-Instruct", "Llama 3.2 3B Instruct", "meta-llama", true, false},
	{"Qwen/Qwen3-4B", "Qwen3 4B", "Qwen", true, false},
	{"mistralai/Mistral-7B-Instruct-v0.3", "Mistral 7B Instruct", "mistralai", true, true},
	{"openai/gpt-oss-120b", "gpt-oss 120B", "openai", false, true},
	{"BAAI/bge-m3", "BGE M3", "BAAI", false, true},
}

func (g *Gateway) listModels(w http.ResponseWriter, _ *http.Request) {
	data := make([]record, len(models))
	for i, m := range models {
		data[i] = record{
			"id": m.id, "object": "model", "created": seconds(1735689600000 + 86400000*int64(i)), "owned_by": m.owner, "name": m.name,
			"is_fine_tuning_available": m.tuning, "is_inference_available": m.inferred,
		}
	}
	respond.JSON(w, http.StatusOK, record{"object": "list", "data": data})
}
