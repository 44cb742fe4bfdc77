package alerts_test

import "testing"

// TestRules_HealthyFleets follows every rule on metrics alone through days of three healthy fleets, and expects no alert.
func TestRules_HealthyFleets(t *testing.T) {
	for name, fleet := range map[string]func() *world{"training": trainingFleet, "serving": servingFleet, "notebooks": notebooksFleet} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := fleet()
			for _, r := range rules(t) {
				if !r.isPromQL() {
					continue
				}
				for _, alert := range fired(t, w, r, 2*day, w.length-1) {
					t.Errorf("%s: %s", r.Title, alert)
				}
			}
		})
	}
}
