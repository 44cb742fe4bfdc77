import React from 'react';

/**
 * Stands in for Monaco, which needs a real browser, both `monaco-editor` and `@monaco-editor/react`: it shows the
 * text. Typing in the code editor is tested in a browser.
 */
export default function Editor({ value }: { value?: string }) {
  return <textarea aria-label="Code editor" value={value} readOnly />;
}

export const loader = { config: () => {} };
export const editor = { defineTheme: () => {} };
