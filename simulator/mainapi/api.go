package mainapi

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/internal/respond"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

// OrganizationID is the id of the organization that has the project.
const OrganizationID = "org-demo"

// Config sets up a main API.
type Config struct {
	Scenario    *scenario.Scenario
	Now         func() time.Time
	ProjectID   string
	AccessKeyID string
	SecretKey   string // raw URL-safe base64
	SpecOnly    bool   // serve only the capacities
}

// API is safe for concurrent use.
type API struct {
	config   Config
	verifier *verifier
}

// New makes a main API. The only error is a secret key that is not raw URL-safe base64.
func New(c Config) (*API, error) {
	v, err := newVerifier(c)
	return &API{c, v}, err
}

func (a *API) now() int64 { return a.config.Now().UnixMilli() }

// unknown is the endpoint of a path that the main API doesn't have.
const unknown = "unknown"

// list is a list of the main API: where it is, below /v1 or a project or an organization, and its items.
type list struct {
	path, endpoint string
	scope          string // "projects", "organizations" or "": neither
	paged          bool
	items          func(*API, *listRequest) []item
}

var lists = []list{
	{"capacities", "capacities", "", false, (*API).capacities},
	{"quotas", "quotas", "projects", false, fixture("quotas")},
	{"compute/vms/instances", "vm_instances", "projects", true, (*API).instances},
	{"compute/vms/types", "vm_types", "projects", false, fixture("vm-types")},
	{"kubernetes/clusters", "kubernetes_clusters", "projects", true, fixture("kubernetes-clusters")},
	{"kubernetes/nodepools", "kubernetes_nodepools", "projects", true, fixture("kubernetes-nodepools")},
	{"slurm/clusters", "slurm_clusters", "projects", false, fixture("slurm-clusters")},
	{"storage/disks", "disks", "projects", true, fixture("disks")},
	{"networking/load-balancers", "load_balancers", "projects", false, fixture("load-balancers")},
	{"usage", "usage", "organizations", false, (*API).usage},
	{"audit-logs", "audit_logs", "organizations", true, (*API).auditLogs},
}

// Route returns the name of the endpoint at a path, and what serves it. It checks the signature first.
func (a *API) Route(path string) (endpoint string, serve http.HandlerFunc) {
	found, ok := a.find(path)
	return cmp.Or(found.endpoint, unknown), func(w http.ResponseWriter, r *http.Request) {
		if reason := a.verifier.check(r); reason != "" {
			respond.Refuse(w, http.StatusUnauthorized, "bad_credential", reason)
			return
		}
		switch {
		case !ok:
			respond.NotFound(w, r)
		case r.Method != http.MethodGet:
			respond.NotAllowed(w, http.MethodGet)
		default:
			a.writeList(w, r, found)
		}
	}
}

// find looks a list up. Lists of the project and of the organization are also directly below /v1.
func (a *API) find(path string) (list, bool) {
	rest, ok := strings.CutPrefix(path, "/v1/")
	if !ok {
		return list{}, false
	}
	scope := ""
	if below, ok := strings.CutPrefix(rest, "projects/"+a.config.ProjectID+"/"); ok {
		scope, rest = "projects", below
	} else if below, ok := strings.CutPrefix(rest, "organizations/"+OrganizationID+"/"); ok {
		scope, rest = "organizations", below
	}
	i := slices.IndexFunc(lists, func(l list) bool { return l.path == rest && (scope == "" || l.scope == scope) })
	if i < 0 || a.config.SpecOnly && rest != "capacities" {
		return list{}, false
	}
	return lists[i], true
}
