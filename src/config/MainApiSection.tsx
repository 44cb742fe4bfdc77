import React from 'react';
import { OptionalSection } from './OptionalSection';
import type { SectionProps } from './section';
import type { Setting } from './SettingFields';
import { tidyText } from './tidy';
import { accessKeyIdError, headerNameError, organizationIdError, secretKeyError } from './validation';

const FIELDS: Setting[] = [
  {
    option: 'accessKeyId',
    label: 'Access key id',
    description: 'Names the key that requests are signed with. It is not secret.',
    placeholder: 'AK1234567890',
    required: true,
    check: accessKeyIdError,
    tidy: tidyText,
    errorWhenLeftEmpty: 'Enter the id that belongs to the secret key.',
  },
  {
    secret: 'secretKey',
    label: 'Secret key',
    description: 'Signs requests, and is never sent. It is created together with the access key id.',
    placeholder: 'Paste the key as you got it: letters, digits, - and _',
    check: secretKeyError,
    required: true,
    errorWhenLeftEmpty: 'Enter the secret key, or capacities and other lists cannot be read.',
  },
  {
    option: 'organizationId',
    label: 'Organization id (optional)',
    description: 'Only for lists of the whole organization: usage and audit logs.',
    placeholder: 'org-1234',
    check: organizationIdError,
    tidy: tidyText,
  },
  {
    option: 'timestampHeader',
    label: 'Timestamp header (optional)',
    description: 'Only for deployments that name the header for the time of a request differently.',
    placeholder: 'X-Vendor-Timestamp',
    check: headerNameError,
    tidy: tidyText,
  },
];

/** How capacities and other lists are read: every request is signed. */
export const MainApiSection = (props: SectionProps) => (
  <OptionalSection
    {...props}
    title="Main API"
    description="Optional: capacities and any other list, as tables, numbers, alert rules and annotations."
    fields={FIELDS}
    address="accessKeyId"
    credential="secretKey"
  />
);
