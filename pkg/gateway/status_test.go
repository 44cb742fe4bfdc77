package gateway

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// The messages are those of OpenAI, Azure OpenAI, Together and gateways after them.
func TestStatus_InMessages(t *testing.T) {
	for message, want := range map[string]string{
		"Created fine-tuning job":                                              StatusQueued,
		"Created fine-tuning job: ftjob-1":                                     StatusQueued,
		"Fine tune request created":                                            StatusQueued,
		"Job enqueued. Waiting for jobs ahead to complete.":                    StatusQueued,
		"Files validated, moving job to queued state":                          StatusQueued,
		"Fine-tuning job is queued.":                                           StatusQueued,
		"Validating training file: file-1":                                     StatusValidating,
		"Validating training file: file-1 and validation file: f-2":            StatusValidating,
		"Validating files":                                                     StatusValidating,
		"Fine-tuning job started":                                              StatusRunning,
		"Fine-tuning job started.":                                             StatusRunning,
		"Job started.":                                                         StatusRunning,
		"Job started at Wed Jul 19 09:41:22 EST 2023":                          StatusRunning,
		"Job is now running":                                                   StatusRunning,
		"Training started":                                                     StatusRunning,
		"Training started.":                                                    StatusRunning,
		"Training started for model meta-llama/Llama-3-8b":                     StatusRunning,
		"Started training":                                                     StatusRunning,
		"Fine-tuning job resumed":                                              StatusRunning,
		"Fine-tuning job paused":                                               StatusPaused,
		"Job was preempted":                                                    StatusPaused,
		"Worker preempted; waiting for capacity":                               StatusPaused,
		"The spot instance was preempted by the cloud provider":                StatusPaused,
		"Pod trainer-0 has been evicted due to memory pressure":                StatusPaused,
		"Job requeued":                                                         StatusQueued,
		"Resumed from step 2000":                                               StatusRunning,
		"Resuming training from the last checkpoint":                           StatusRunning,
		"Job status changed from queued to running":                            StatusRunning,
		"Status changed to running":                                            StatusRunning,
		"status: paused":                                                       StatusPaused,
		"running":                                                              StatusRunning,
		"The job has successfully completed":                                   StatusSucceeded,
		"Fine tuning job successfully completed":                               StatusSucceeded,
		"Fine-tuning job succeeded":                                            StatusSucceeded,
		"Job succeeded.":                                                       StatusSucceeded,
		"Fine-tuning job ftjob-1 completed successfully.":                      StatusSucceeded,
		"Fine-tuning job failed":                                               StatusFailed,
		"The job failed due to an internal error.":                             StatusFailed,
		"The job failed due to an invalid training file. Invalid file format.": StatusFailed,
		"Job failed: out of memory":                                            StatusFailed,
		"Fine-tuning job was cancelled by the user":                            StatusCancelled,
		"Job canceled":                                                         StatusCancelled,

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
		"Node may be preempted":                                                 "",
		"Cache entry evicted":                                                   "",
		"Data loader resumed from shard 12":                                     "",
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
		"data before the message":    {"Fine-tuning job started", "message", `{"new_status":"paused"}`, StatusPaused},
		"data in another case":       {"", "message", `{"state":"RUNNING"}`, StatusRunning},
		"a type that is a status":    {"Fine tune request created", "JOB_PENDING", `{}`, StatusPending},
		"a type before the message":  {"Job failed", "job_start", `null`, StatusRunning},
		"the start of training":      {"Training started for model x", "TRAINING_START", ``, StatusRunning},
		"the end of training":        {"Training completed for model x", "TRAINING_COMPLETE", ``, ""},
		"an epoch":                   {"Epoch completed", "EPOCH_COMPLETE", ``, ""},
		"a success":                  {"Job finished", "JOB_COMPLETE", ``, StatusSucceeded},
		"a failure":                  {"", "JOB_ERROR", ``, StatusFailed},
		"a gateway's own type":       {"Fine-tuning job started", "status", ``, StatusRunning},
		"metrics":                    {"Fine-tuning job started", "metrics", `{"loss":1}`, ""},
		"metrics that name a status": {"", "metrics", `{"status":"running"}`, StatusRunning},
	} {
		require.Equal(t, test.want, statusIn(test.message, test.kind, query.ParseRecord(json.RawMessage(test.data))), name)
	}
}
