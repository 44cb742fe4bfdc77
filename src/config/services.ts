import type { GpuCloudOptions, GpuCloudSecrets } from '../types';
import type { SectionProps } from './section';
import type { SettingsSection } from './SettingsSection';
import { tidyBaseAddress, tidyToken } from './tidy';
import { accessKeyIdError, addressError, consoleUrlError, projectIdError, prometheusUrlError } from './validation';

/** Whether a service is used that the rest works without: its other fields are needed then. */
const uses =
  (address: keyof GpuCloudOptions, credential: keyof GpuCloudSecrets) =>
  ({ jsonData, secureJsonFields, secureJsonData }: SectionProps['options']): boolean =>
    Boolean(jsonData[address] || secureJsonFields?.[credential] || secureJsonData?.[credential]);

export const CONNECTION: SettingsSection = {
  title: 'Connection',
  description: 'Metrics, fine-tuning and the main API have credentials of their own. Each works without the others.',
  isUsed: ({ jsonData }) => !jsonData.metricsUrl,
  fields: [
    {
      option: 'baseUrl',
      label: 'Base address',
      description:
        "Address of the platform's API. A /v1 at its end is taken off, because it is added to every request.",
      example: 'https://api.example.com',
      required: true,
      check: addressError,
      tidy: tidyBaseAddress,
    },
    {
      option: 'projectId',
      label: 'Project id',
      description: "The project whose metrics you want to see. It is part of the project's address in the web console.",
      example: 'proj-1234',
      required: true,
      check: projectIdError,
    },
  ],
};

export const METRICS: SettingsSection = {
  title: 'Metrics',
  fields: [
    {
      secret: 'monitoringToken',
      label: 'Monitoring token',
      description:
        "Create one with “monitoring tokens create” of the platform's command-line tool. It is shown once, so keep a copy.",
      placeholder: 'Paste the token',
      tidy: tidyToken,
      required: true,
    },
    {
      option: 'metricsUrl',
      label: 'Full metrics address (optional)',
      description:
        'Only for deployments whose metrics are elsewhere. It is used instead of the base address and the project id.',
      example: 'https://api.example.com/v1/projects/proj-1234/metrics/timeseries',
      check: prometheusUrlError,
    },
  ],
};

export const FINE_TUNING: SettingsSection = {
  title: 'Fine-tuning',
  description: 'Optional: jobs, checkpoints and training curves, as queries and as annotations over GPU panels.',
  isOptional: true,
  isUsed: uses('intelligenceUrl', 'inferenceApiKey'),
  fields: [
    {
      option: 'intelligenceUrl',
      label: 'Gateway address',
      description:
        'Address of the model-tuning gateway. A /v1 at its end is taken off, because it is added to every request.',
      example: 'https://intelligence.example.com',
      required: true,
      check: addressError,
      tidy: tidyBaseAddress,
    },
    {
      secret: 'inferenceApiKey',
      label: 'Inference API key',
      description:
        'Create one in the web console: organization menu, Manage Organization, Security, Inference API keys. It is shown once, so keep a copy.',
      placeholder: 'Paste the key',
      tidy: tidyToken,
      required: true,
    },
    {
      option: 'consoleUrl',
      label: 'Console address of a job (optional)',
      description:
        'Makes links from jobs and checkpoints to the web console, where checkpoints are deployed. {projectId}, {jobId} and {checkpointId} are filled in.',
      example: 'https://console.example.com/{projectId}/fine-tuning/{jobId}',
      check: consoleUrlError,
    },
  ],
};

export const MAIN_API: SettingsSection = {
  title: 'Main API',
  description: 'Optional: capacities and any other list, as tables, numbers, alert rules and annotations.',
  isOptional: true,
  isUsed: uses('accessKeyId', 'secretKey'),
  fields: [
    {
      option: 'accessKeyId',
      label: 'Access key id',
      description: 'Names the key that requests are signed with. It is not secret.',
      example: 'AK1234567890',
      required: true,
      check: accessKeyIdError,
    },
    {
      secret: 'secretKey',
      label: 'Secret key',
      description: 'Signs requests, and is never sent. It is created together with the access key id.',
      placeholder: 'Paste the key as you got it: letters, digits, - and _',
      required: true,
    },
    {
      option: 'organizationId',
      label: 'Organization id (optional)',
      description: 'Only for lists of the whole organization: usage and audit logs.',
      example: 'org-1234',
    },
    {
      option: 'timestampHeader',
      label: 'Timestamp header (optional)',
      description: 'Only for deployments that name the header for the time of a request differently.',
      example: 'X-Vendor-Timestamp',
    },
  ],
};
