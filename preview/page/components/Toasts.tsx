import React, { useEffect, useState } from 'react';
import { css } from '@emotion/css';
import { AppEvents, type GrafanaTheme2 } from '@grafana/data';
import { Alert, type AlertVariant, useStyles2 } from '@grafana/ui';
import { appEvents } from '../grafana/runtime';

const LIFETIME_MS = 5000;

interface Toast {
  id: number;
  severity: AlertVariant;
  title: string;
  text?: string;
}

const severities: Record<string, AlertVariant> = {
  [AppEvents.alertSuccess.name]: 'success',
  [AppEvents.alertInfo.name]: 'info',
  [AppEvents.alertWarning.name]: 'warning',
  [AppEvents.alertError.name]: 'error',
};

/** The short messages in the corner that Grafana and its plugins announce through `appEvents`. */
export function Toasts() {
  const styles = useStyles2(getStyles);
  const [toasts, setToasts] = useState<Toast[]>([]);

  useEffect(() => {
    let lastId = 0;
    const dismiss = (id: number) => setToasts((shown) => shown.filter((toast) => toast.id !== id));
    const subscriptions = Object.entries(severities).map(([type, severity]) =>
      appEvents.getStream<{ type: string; payload: [string, string?] }>({ type } as never).subscribe(({ payload }) => {
        const id = ++lastId;
        setToasts((shown) => [...shown, { id, severity, title: payload[0], text: payload[1] }]);
        window.setTimeout(() => dismiss(id), LIFETIME_MS);
      })
    );
    return () => subscriptions.forEach((subscription) => subscription.unsubscribe());
  }, []);

  return (
    <div className={styles.corner}>
      {toasts.map(({ id, severity, title, text }) => (
        <Alert
          key={id}
          severity={severity}
          title={title}
          elevated
          onRemove={() => setToasts((shown) => shown.filter((toast) => toast.id !== id))}
        >
          {text}
        </Alert>
      ))}
    </div>
  );
}

const getStyles = (theme: GrafanaTheme2) => ({
  corner: css({
    position: 'fixed',
    top: theme.spacing(2),
    right: theme.spacing(2),
    width: theme.spacing(50),
    zIndex: theme.zIndex.portal,
  }),
});
