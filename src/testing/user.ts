import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';

export async function choose(field: RegExp | string, option: RegExp | string) {
  await userEvent.click(await screen.findByRole('combobox', { name: field }));
  await userEvent.click(await screen.findByRole('option', { name: option }));
}

export const pick = async (choice: string, option: string) =>
  userEvent.click(within(await screen.findByRole('radiogroup', { name: choice })).getByRole('radio', { name: option }));

/** Writes a text in the place of a field's, and leaves it. */
export async function write(field: HTMLElement, text: string) {
  await userEvent.clear(field);
  await userEvent.click(field);
  await userEvent.paste(text);
  await userEvent.tab();
}
