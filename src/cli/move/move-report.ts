/** What a finished move says: the sums of both sides, and what has to be set from now on. */
import type { Report } from '../command.ts';
import type { ToSet } from './settings-to-come.ts';
import { isEqualSum, type TableSum } from './table-sum.ts';

export interface Comparison {
  /** Of each table: what was read, and what is there now. */
  readonly tables: readonly (readonly [read: TableSum, copied: TableSum])[];
  readonly isEqual: boolean;
}

export function compare(read: readonly TableSum[], copied: readonly TableSum[]): Comparison {
  const nothing = (name: string) => ({ name, rows: 0, checksum: '' });
  const tables = read.map((sum, index) => [sum, copied[index] ?? nothing(sum.name)] as const);
  return { tables, isEqual: tables.every(([from, to]) => isEqualSum(from, to)) };
}

export function reportOf({ tables, isEqual }: Comparison, settings: readonly ToSet[]): Report {
  const rows = tables.map(([{ name, rows, checksum }, copy]) => ({
    ...{ name, rows, checksum, copied_rows: copy.rows, copied_checksum: copy.checksum },
  }));
  const text = isEqual ? goodNews(tables, settings) : badNews(tables);
  return { data: { equal: isEqual, tables: rows, settings }, text, failed: !isEqual };
}

function goodNews(tables: Comparison['tables'], settings: readonly ToSet[]): string {
  const total = tables.reduce((sum, [{ rows }]) => sum + rows, 0);
  const lines = tables.map(
    ([{ name, rows, checksum }]) => `  ${name.padEnd(22)}${String(rows).padStart(10)}  ${checksum.slice(0, 16)}`,
  );
  return [
    `${total} rows are in PostgreSQL, and equal:`,
    ...lines,
    'Set these for every process, then start the service:',
    ...settings.map(({ name, value }) => `  ${name.padEnd(18)} ${value}`),
  ].join('\n');
}

function badNews(tables: Comparison['tables']): string {
  const names = tables.filter(([from, to]) => !isEqualSum(from, to)).map(([{ name }]) => name);
  return `The copy differs in ${names.join(', ')}, and no service starts on it. Repeat with --start-over.`;
}
