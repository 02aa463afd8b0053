/** Users choose some of the text shown: without control characters it cannot steer the terminal. */
const withoutControls = (text: string) => text.replaceAll(/\p{C}/gu, '');

export function formatTable(rows: readonly (readonly string[])[], indent = ''): string {
  const clean = rows.map((row) => row.map(withoutControls));
  const widths = (clean[0] ?? []).map((_, column) => Math.max(...clean.map((row) => row[column]?.length ?? 0)));
  const lines = clean.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  return lines.map((line) => indent + line.trimEnd()).join('\n');
}
