import React from 'react';
import { ConfigSection } from '@grafana/plugin-ui';
import { SecretField } from './SecretField';
import type { SectionProps } from './section';
import { OptionField } from './OptionField';
import { tidyText } from './tidy';
import { accessKeyIdError, headerNameError, organizationIdError, secretKeyError } from './validation';

/** How capacities and other lists are read: every request is signed. The rest of the data source works without. */
export function MainApiSection(props: SectionProps) {
  const { options } = props;
  const { accessKeyId = '' } = options.jsonData;
  const hasKey = Boolean(options.secureJsonFields?.secretKey || options.secureJsonData?.secretKey);
  const started = accessKeyId !== '' || hasKey;

  return (
    <ConfigSection title="Main API" description={started ? CONFIGURED : NOT_CONFIGURED}>
      <OptionField
        {...props}
        option="accessKeyId"
        id="gpucloud-access-key-id"
        label="Access key id"
        description="Names the key that requests are signed with. It is not secret."
        placeholder="AK1234567890"
        required={started}
        check={accessKeyIdError}
        tidy={tidyText}
        errorWhenLeftEmpty="Enter the id that belongs to the secret key."
      />
      <SecretField
        {...props}
        id="gpucloud-secret-key"
        secret="secretKey"
        label="Secret key"
        description="Signs requests, and is never sent. It is created together with the access key id."
        placeholder="Paste the key as you got it: letters, digits, - and _"
        check={secretKeyError}
        required={started}
        errorWhenLeftEmpty="Enter the secret key, or capacities and other lists cannot be read."
      />
      <OptionField
        {...props}
        option="organizationId"
        id="gpucloud-organization-id"
        label="Organization id (optional)"
        description="Only for lists of the whole organization: usage and audit logs."
        placeholder="org-1234"
        check={organizationIdError}
        tidy={tidyText}
      />
      <OptionField
        {...props}
        option="timestampHeader"
        id="gpucloud-timestamp-header"
        label="Timestamp header (optional)"
        description="Only for deployments that name the header for the time of a request differently."
        placeholder="X-Vendor-Timestamp"
        check={headerNameError}
        tidy={tidyText}
      />
    </ConfigSection>
  );
}

const CONFIGURED = 'Optional: capacities and any other list, as tables, numbers, alert rules and annotations.';
const NOT_CONFIGURED = `${CONFIGURED} Not configured.`;
