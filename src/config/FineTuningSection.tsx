import React from 'react';
import { OptionalSection } from './OptionalSection';
import type { SectionProps } from './section';
import type { Setting } from './SettingFields';
import { tidyBaseAddress, tidyText } from './tidy';
import { addressError, consoleUrlError } from './validation';

const FIELDS: Setting[] = [
  {
    option: 'intelligenceUrl',
    label: 'Gateway address',
    description:
      'Address of the model-tuning gateway. A /v1 at its end is taken off, because it is added to every request.',
    placeholder: 'https://intelligence.example.com',
    required: true,
    check: addressError,
    errorWhenLeftEmpty: "Enter the gateway's address, such as https://intelligence.example.com.",
    tidy: tidyBaseAddress,
  },
  {
    secret: 'inferenceApiKey',
    label: 'Inference API key',
    description:
      'Create one in the web console: organization menu, Manage Organization, Security, Inference API keys. It is shown once, so keep a copy.',
    placeholder: 'Paste the key',
    isToken: true,
    required: true,
    errorWhenLeftEmpty: 'Enter an inference API key, or fine-tuning jobs cannot be read.',
  },
  {
    option: 'consoleUrl',
    label: 'Console address of a job (optional)',
    description:
      'Makes links from jobs and checkpoints to the web console, where checkpoints are deployed. {projectId}, {jobId} and {checkpointId} are filled in.',
    placeholder: 'https://console.example.com/{projectId}/fine-tuning/{jobId}',
    check: consoleUrlError,
    tidy: tidyText,
  },
];

/** How fine-tuning jobs are read. */
export const FineTuningSection = (props: SectionProps) => (
  <OptionalSection
    {...props}
    title="Fine-tuning"
    description="Optional: jobs, checkpoints and training curves, as queries and as annotations over GPU panels."
    fields={FIELDS}
    address="intelligenceUrl"
    credential="inferenceApiKey"
  />
);
