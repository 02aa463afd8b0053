/**
 * Collects the rows of a run, prints them as a table, and writes them to RESULTS.md. A part that was measured replaces
 * its own section there and leaves the others. `notes.json` holds, by the id of a row, what bounds it: it is written
 * by hand, and shown below the table of the part.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { arch, cpus, platform, totalmem } from 'node:os';
import notes from './notes.json' with { type: 'json' };
import { round } from './statistics.ts';

const FILE = new URL('./RESULTS.md', import.meta.url);

type Target = { readonly atLeast: number } | { readonly atMost: number };

export interface Row {
  /** The key of its note. */
  readonly id: string;
  readonly what: string;
  /** The raw figures, ours first. */
  readonly figures: readonly string[];
  /** What is compared with the target. */
  readonly value: number;
  readonly unit?: string;
  readonly target?: Target;
}

interface Skipped {
  readonly what: string;
  readonly why: string;
}

export class Report {
  readonly #part: string;
  readonly #rows: Row[] = [];
  readonly #skipped: Skipped[] = [];
  readonly #versions = new Map<string, string>([['Node.js', process.versions.node]]);

  constructor(part: string) {
    this.#part = part;
  }

  add(row: Row): void {
    this.#rows.push(row);
    const [what, , value, target] = toCells(row);
    console.log(`  ${what}: ${value}${target && ` (target ${target})`}`);
  }

  /** A row that could not be measured here, and why. */
  skip(what: string, why: string): void {
    this.#skipped.push({ what, why });
    console.log(`  ${what}: left out. ${why}`);
  }

  version(name: string, version: string): void {
    this.#versions.set(name, version);
  }

  print(): void {
    if (this.#rows.length === 0) return;
    const table = [HEADINGS, ...this.#rows.map(toCells)];
    const widths = HEADINGS.map((_, column) => Math.max(...table.map((cells) => cells[column]?.length ?? 0)));
    console.log(`\n${this.#part}`);
    for (const cells of table)
      console.log(`  ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`);
    for (const { what, why } of this.#skipped) console.log(`  ${what}: left out. ${why}`);
  }

  write(command: string): void {
    if (this.#rows.length === 0) return;
    const sections = new Map(readSections());
    sections.set(this.#part, this.#section(command));
    const ordered = [...sections].toSorted(([a], [b]) => (a < b ? -1 : 1));
    writeFileSync(FILE, [INTRODUCTION, ...ordered.map(([part, text]) => `## ${part}\n\n${text.trim()}\n`)].join('\n'));
  }

  #section(command: string): string {
    const versions = [...this.#versions].map(([name, version]) => `${name} ${version}`).join(', ');
    const cells = [HEADINGS, HEADINGS.map(() => '---'), ...this.#rows.map(toCells)];
    const remarks = this.#rows.flatMap(({ id, what }) => {
      const note = (notes as Readonly<Record<string, string>>)[id];
      return note === undefined ? [] : [`- **${what}**: ${note}`];
    });
    const left = this.#skipped.map(({ what, why }) => `- ${what}: left out. ${why}`);
    return [
      `\`${command}\` on ${new Date().toISOString().slice(0, 10)}, commit ${commit()}, ${machine()}; ${versions}.`,
      cells.map((line) => `| ${line.join(' | ')} |`).join('\n'),
      [...remarks, ...left].join('\n'),
    ].join('\n\n');
  }
}

const INTRODUCTION = `# What was measured

Written by \`npm run bench\`; \`bench/notes.json\` holds the remarks below the tables. Figures are medians of interleaved
rounds with the lowest and the highest in brackets. Compare them within a row only: another machine has other figures
and much the same ratios. A rate "per CPU second" counts the CPU time of the server's own process.
`;

const HEADINGS = ['what', 'figures', 'value', 'target', 'met'];

function toCells({ what, figures, value, unit = '', target }: Row): string[] {
  const wanted = target && ('atLeast' in target ? `≥ ${target.atLeast}${unit}` : `≤ ${target.atMost}${unit}`);
  return [what, figures.join('; '), `${round(value)}${unit}`, wanted ?? '', target ? howMet(value, target) : ''];
}

/** A target that is missed says by how much. */
function howMet(value: number, target: Target): string {
  const [wanted, side] = 'atLeast' in target ? [target.atLeast, -1] : [target.atMost, 1];
  const missedBy = side * (value / wanted - 1);
  if (missedBy <= 0) return 'yes';
  return `**no**, ${round(missedBy * 100)} % ${side > 0 ? 'above' : 'below'}`;
}

function readSections(): [part: string, text: string][] {
  if (!existsSync(FILE)) return [];
  const [, ...sections] = readFileSync(FILE, 'utf8').split(/^## /m);
  return sections.map((section) => {
    const end = section.indexOf('\n');
    return [section.slice(0, end).trim(), section.slice(end)];
  });
}

function machine(): string {
  const model = cpus()[0]?.model.trim();
  const named = model && model !== 'unknown' ? ` (${model})` : '';
  return `${cpus().length} cores ${arch()}${named}, ${round(totalmem() / 2 ** 30)} GB, ${platform()}`;
}

function commit(): string {
  try {
    const git = (...args: string[]) =>
      execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return `${git('rev-parse', '--short', 'HEAD').trim()}${git('status', '--porcelain', '../src').trim() && ' with changes'}`;
  } catch {
    return 'unknown';
  }
}
