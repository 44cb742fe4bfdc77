import React from 'react';
import { ConfigSection } from '@grafana/plugin-ui';
import { SecretField } from './SecretField';
import type { SectionProps } from './section';
import { OptionField } from './OptionField';
import { tidyBaseAddress, tidyText } from './tidy';
import { consoleUrlError, addressError } from './validation';

/** How fine-tuning jobs are read. The rest of the data source works without. */
export function FineTuningSection(props: SectionProps) {
  const { options } = props;
  const { intelligenceUrl = '' } = options.jsonData;
  const hasKey = Boolean(options.secureJsonFields?.inferenceApiKey || options.secureJsonData?.inferenceApiKey);
  const started = intelligenceUrl !== '' || hasKey;

  return (
    <ConfigSection title="Fine-tuning" description={started ? CONFIGURED : NOT_CONFIGURED}>
      <OptionField
        {...props}
        option="intelligenceUrl"
        id="gpucloud-intelligence-url"
        label="Gateway address"
        description="Address of the model-tuning gateway. A /v1 at its end is taken off, because it is added to every request."
        placeholder="https://intelligence.example.com"
        required={started}
        check={addressError}
        errorWhenLeftEmpty="Enter the gateway's address, such as https://intelligence.example.com."
        tidy={tidyBaseAddress}
      />
      <SecretField
        {...props}
        id="gpucloud-inference-api-key"
        secret="inferenceApiKey"
        label="Inference API key"
        description="Create one in the web console: organization menu, Manage Organization, Security, Inference API keys. It is shown once, so keep a copy."
        placeholder="Paste the key itself, without “Bearer”"
        required={started}
        errorWhenLeftEmpty="Enter an inference API key, or fine-tuning jobs cannot be read."
      />
      <OptionField
        {...props}
        option="consoleUrl"
        id="gpucloud-console-url"
        label="Console address of a job (optional)"
        description="Makes links from jobs and checkpoints to the web console, where checkpoints are deployed. {projectId}, {jobId} and {checkpointId} are filled in."
        placeholder="https://console.example.com/{projectId}/fine-tuning/{jobId}"
        check={consoleUrlError}
        tidy={tidyText}
      />
    </ConfigSection>
  );
}

const CONFIGURED = 'Optional: jobs, checkpoints and training curves, as queries and as annotations over GPU panels.';
const NOT_CONFIGURED = `${CONFIGURED} Not configured.`;
