import React from 'react';
import { PromQueryBuilderOptions } from '@grafana/prometheus';

/**
 * The options below Prometheus' editor, without the switch for exemplars, of which the platform has none. It takes the
 * place of the original where the editor imports that (see `webpack.config.ts`), because the editor passes no choice on.
 */
function QueryOptions(props: React.ComponentProps<typeof PromQueryBuilderOptions>) {
  return <PromQueryBuilderOptions {...props} uiOptions={{ ...props.uiOptions, exemplars: false }} />;
}

export { QueryOptions as PromQueryBuilderOptions };
