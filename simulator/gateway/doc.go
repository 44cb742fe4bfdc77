// Package gateway is the platform's tuning gateway: files, fine-tuning jobs with their events, checkpoints
// and metrics, and models, over HTTP in the OpenAI convention, below /v1.
//
// Its jobs are those of the scenario, so GPU load follows them, and those that are created through it. Beside them are edge
// cases, of the kinds that deployments are known to return, and on request any number of finished jobs. Records, curves and
// checkpoint archives are computed when they are read.
package gateway
