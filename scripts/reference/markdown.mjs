/** A table in Markdown. */
export function table(titles, rows) {
  const line = (cells) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(titles), line(titles.map(() => '---')), ...rows.map(line)].join('\n');
}

const cell = (text) => text.replaceAll('|', '\\|').replace(/\s*\n\s*/g, ' ');

export const code = (text) => `\`${text}\``;
