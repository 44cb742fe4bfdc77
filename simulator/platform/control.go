package platform

import (
	"encoding/json"
	"net/http"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/internal/respond"
)

// controlRoutes is the control endpoint: faults as JSON.
func (p *Platform) controlRoutes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /_control/faults", p.addFault)
	mux.HandleFunc("DELETE /_control/faults", func(w http.ResponseWriter, _ *http.Request) {
		p.ClearFaults()
		w.WriteHeader(http.StatusNoContent)
	})
	return mux
}

// maxFault is the most bytes that a posted fault may have.
const maxFault = 32 << 20

func (p *Platform) addFault(w http.ResponseWriter, r *http.Request) {
	var f Fault
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxFault))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&f)
	if err == nil {
		err = p.faults.add(f)
	}
	if err != nil {
		respond.Refuse(w, http.StatusBadRequest, "bad_request", "not a fault: "+err.Error())
		return
	}
	w.WriteHeader(http.StatusCreated)
}
