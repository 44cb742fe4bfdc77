import React from 'react';
import { PromQueryBuilderOptions } from '@grafana/prometheus';
import { isAlerting } from '../query/tuning/place';

/**
 * The options below Prometheus' editor, without the switch for exemplars, of which the platform has none, and without the
 * format in alert rules, which take numbers whatever it is. It takes the place of the original where the editor imports
 * that (see `webpack`), because the editor passes no choice on.
 */
function QueryOptions(props: React.ComponentProps<typeof PromQueryBuilderOptions>) {
  const hidden = { exemplars: false, ...(isAlerting(props.app) && { format: false }) };
  return <PromQueryBuilderOptions {...props} uiOptions={{ ...props.uiOptions, ...hidden }} />;
}

export { QueryOptions as PromQueryBuilderOptions };
