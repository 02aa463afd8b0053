/** How long each test file takes, summed up from the events of its tests, since several files share a process. */
import { relative } from 'node:path';

interface TestResult {
  readonly file?: string;
  readonly nesting: number;
  readonly details: { readonly duration_ms: number };
}

export class FileTimes {
  readonly #root: string;
  readonly #milliseconds = new Map<string, number>();
  #file = '';

  constructor(root: string) {
    this.#root = root;
  }

  /** Call this with each result in order. A suite comes after its tests, and may be defined in another file. */
  add({ file, nesting, details }: TestResult): void {
    if (file?.endsWith('.test.ts')) this.#file = relative(this.#root, file);
    if (nesting > 0) return;
    this.#milliseconds.set(this.#file, (this.#milliseconds.get(this.#file) ?? 0) + details.duration_ms);
  }

  /** One line per file, with its seconds. */
  slowest(count: number): string[] {
    const sorted = [...this.#milliseconds].toSorted(([, a], [, b]) => b - a);
    return sorted.slice(0, count).map(([file, ms]) => `${(ms / 1_000).toFixed(1).padStart(7)} s  ${file}`);
  }
}
