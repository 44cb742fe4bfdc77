package tuning

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// The messages are those of OpenAI, Azure OpenAI, Together and gateways after them.
func TestStatus_InMessages(t *testing.T) {
	for message, want := range map[string]string{
		"Created fine-tuning job":                                   statusQueued,
		"Created fine-tuning job: ftjob-1":                          statusQueued,
		"Fine tune request created":                                 statusQueued,
		"Job enqueued. Waiting for jobs ahead to complete.":         statusQueued,
		"Files validated, moving job to queued state":               statusQueued,
		"Fine-tuning job is queued.":                                statusQueued,
		"Validating training file: file-1":                          statusValidating,
		"Validating training file: file-1 and validation file: f-2": statusValidating,
		"Validating files":                                          statusValidating,
		"Fine-tuning job started":                                   statusRunning,
		"Fine-tuning job started.":                                  statusRunning,
		"Job started.":                                              statusRunning,
		"Job started at Wed Jul 19 09:41:22 EST 2023":               statusRunning,
		"Job is now running":                                        statusRunning,
		"Training started":                                          statusRunning,
		"Training started.":                                         statusRunning,
		"Training started for model meta-llama/Llama-3-8b":          statusRunning,
		"Started training":                                          statusRunning,
		"Fine-tuning job resumed":                                   statusRunning,
		"Fine-tuning job paused":                                    statusPaused,
		"Job status changed from queued to running":                 statusRunning,
		"Status changed to running":                                 statusRunning,
		"status: paused":                                            statusPaused,
		"running":                                                   statusRunning,
		"The job has successfully completed":                        statusSucceeded,
		"Fine tuning job successfully completed":                    statusSucceeded,
		"Fine-tuning job succeeded":                                 statusSucceeded,
		"Job succeeded.":                                            statusSucceeded,
		"Fine-tuning job ftjob-1 completed successfully.":           statusSucceeded,
		"Fine-tuning job failed":                                    statusFailed,
		"The job failed due to an internal error.":                  statusFailed,
		"The job failed due to an invalid training file. Invalid file format.": statusFailed,
		"Job failed: out of memory":                 statusFailed,
		"Fine-tuning job was cancelled by the user": statusCancelled,
		"Job canceled":                              statusCancelled,

		// Events within a job that are not about its status.
		"Validating at step 500":                                                "",
		"Validation started":                                                    "",
		"Validating checkpoint ckpt-1":                                          "",
		"epoch 1/3 completed":                                                   "",
		"Epoch 1 completed":                                                     "",
		"Epoch completed, at step 24":                                           "",
		"Fine-tuning epoch 1/3 completed":                                       "",
		"Training epoch 2 started":                                              "",
		"Training completed for model meta-llama/Llama-3-8b":                    "",
		"Preprocessing started.":                                                "",
		"Preprocessing completed for file training file.":                       "",
		"Postprocessing started.":                                               "",
		"Completed results file: file-1":                                        "",
		"Training hours billed: 0.5":                                            "",
		"Checkpoint created at step 88 with Snapshot ID: ft:x":                  "",
		"New fine-tuned model created: ft:x":                                    "",
		"Step 100/300: training loss=0.42, validation loss=0.5":                 "",
		"Step 1: training loss=1.51":                                            "",
		"Upload of checkpoint failed; trying again":                             "",
		"Training failed on node 3, retrying":                                   "",
		"Job failed over to another node":                                       "",
		"Job started uploading checkpoints":                                     "",
		"The job could not be queued, trying again":                             "",
		"The job will be cancelled if it exceeds the budget":                    "",
		"If the status is running, the job can be paused":                       "",
		"Disk status: failed":                                                   "",
		"Moderation checks for snapshot ft:x passed.":                           "",
		"Usage policy evaluations completed, model is now enabled for sampling": "",
		"Evaluating model against our usage policies before enabling":           "",
		"Sending the dataset to pending state store":                            "",
		"": "",
	} {
		require.Equal(t, want, statusIn(message, "message", nil), message)
	}
}

func TestStatus_InStructuredEvents(t *testing.T) {
	for name, test := range map[string]struct {
		message, kind, data string
		want                string
	}{
		"the event's data":           {"whatever", "message", `{"status":"defragmenting"}`, "defragmenting"},
		"data before the message":    {"Fine-tuning job started", "message", `{"new_status":"paused"}`, statusPaused},
		"data in another case":       {"", "message", `{"state":"RUNNING"}`, statusRunning},
		"a type that is a status":    {"Fine tune request created", "JOB_PENDING", `{}`, statusPending},
		"a type before the message":  {"Job failed", "job_start", `null`, statusRunning},
		"the start of training":      {"Training started for model x", "TRAINING_START", ``, statusRunning},
		"the end of training":        {"Training completed for model x", "TRAINING_COMPLETE", ``, ""},
		"an epoch":                   {"Epoch completed", "EPOCH_COMPLETE", ``, ""},
		"a success":                  {"Job finished", "JOB_COMPLETE", ``, statusSucceeded},
		"a failure":                  {"", "JOB_ERROR", ``, statusFailed},
		"a gateway's own type":       {"Fine-tuning job started", "status", ``, statusRunning},
		"metrics":                    {"Fine-tuning job started", "metrics", `{"loss":1}`, ""},
		"metrics that name a status": {"", "metrics", `{"status":"running"}`, statusRunning},
	} {
		require.Equal(t, test.want, statusIn(test.message, test.kind, parseRecord(json.RawMessage(test.data))), name)
	}
}
