package tuning

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStatusInEvents(t *testing.T) {
	for message, want := range map[string]string{
		"Created fine-tuning job: ftjob-1":                      statusQueued,
		"Validating training file: file-1":                      statusValidating,
		"Files validated, moving job to queued state":           statusQueued,
		"Fine-tuning job started":                               statusRunning,
		"Job is now running":                                    statusRunning,
		"Training started":                                      statusRunning,
		"Started training":                                      statusRunning,
		"Fine-tuning job resumed":                               statusRunning,
		"Job status changed from queued to running":             statusRunning,
		"status: paused":                                        statusPaused,
		"running":                                               statusRunning,
		"The job has successfully completed":                    statusSucceeded,
		"Fine-tuning job succeeded":                             statusSucceeded,
		"Fine-tuning job failed":                                statusFailed,
		"The job failed due to an internal error.":              statusFailed,
		"Fine-tuning job was cancelled by the user":             statusCancelled,
		"Checkpoint created at step 88 with Snapshot ID: ft:x":  "",
		"New fine-tuned model created: ft:x":                    "",
		"Step 100/300: training loss=0.42, validation loss=0.5": "",
		"Epoch 1 completed":                                     "",
		"Upload of checkpoint failed; trying again":             "",
		"Validation started":                                    "",
		"":                                                      "",
	} {
		require.Equal(t, want, statusIn(message, nil), message)
	}
	require.Equal(t, "defragmenting", statusIn("whatever", record{"status": json.RawMessage(`"defragmenting"`)}))
}
