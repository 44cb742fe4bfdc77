/** What tables call a text that people read. It is translated where it is shown, and extracted by these names. */
export const TEXTS = ['label', 'description', 'title', 'placeholder', 'tooltip'];
