package settings

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func newTestStore() *Store {
	clock := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	tick := func() time.Time {
		clock = clock.Add(time.Second)
		return clock
	}
	return NewStore(Plugin{ID: "the-plugin"}, Provisioned{
		DataSource: DataSource{UID: "gpucloud", Name: "GPU Cloud", JSONData: json.RawMessage(`{"a":1}`)},
		Secrets:    map[string]string{"token": "secret-value", "unset": ""},
	}, tick)
}

func TestStore_SecretsAreNotShown(t *testing.T) {
	shown, err := json.Marshal(newTestStore().Get())
	require.NoError(t, err)
	assert.NotContains(t, string(shown), "secret-value")
	assert.Contains(t, string(shown), `"secureJsonFields":{"token":true}`)
}

func TestStore_UpdateOfSecrets(t *testing.T) {
	store := newTestStore()

	store.Update(Change{Name: "GPU Cloud", SecureJSONData: map[string]string{"other": "x"}})
	assert.Equal(t, map[string]bool{"token": true, "other": true}, store.Get().SecureJSONFields)

	store.Update(Change{Name: "GPU Cloud", SecureJSONData: map[string]string{"token": ""}})
	assert.Equal(t, map[string]bool{"other": true}, store.Get().SecureJSONFields)
}

func TestStore_UpdateMakesANewInstance(t *testing.T) {
	store := newTestStore()
	before := store.PluginContext().DataSourceInstanceSettings

	store.Update(Change{Name: "Renamed", JSONData: json.RawMessage(`null`)})

	after := store.PluginContext().DataSourceInstanceSettings
	assert.True(t, after.Updated.After(before.Updated))
	assert.Equal(t, "Renamed", after.Name)
	assert.JSONEq(t, `{}`, string(after.JSONData))
	assert.Equal(t, "secret-value", after.DecryptedSecureJSONData["token"])
}
