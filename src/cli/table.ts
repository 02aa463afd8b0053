/** What somebody chose must not steer the terminal it is shown on. */
const shown = (text: string) => text.replaceAll(/\p{C}/gu, '');

/** Columns as wide as their widest cell; the first row is the head. */
export function tableOf(rows: readonly (readonly string[])[]): string {
  const clean = rows.map((row) => row.map(shown));
  const widths = (clean[0] ?? []).map((_, column) => Math.max(...clean.map((row) => row[column]?.length ?? 0)));
  return clean
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
