/** A copy of the project in which one file at a time is broken. */
import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
/** Modules are shared, and data of a service that ran here is not the copy's. */
const LEFT_OUT = new Set(['node_modules', '.git', 'coverage']);
const DATA = 'data';
const MODULES = ['node_modules', 'web/node_modules'];

export class Copy {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
    const isCopied = (path: string) => {
      const within = relative(ROOT, path);
      return within !== DATA && !within.split(sep).some((part) => LEFT_OUT.has(part));
    };
    cpSync(ROOT, folder, { recursive: true, filter: isCopied });
    for (const modules of MODULES) symlinkSync(join(ROOT, modules), join(folder, modules));
  }

  /** Runs `work` while the files have this text. */
  async with<T>(sources: readonly (readonly [file: string, source: string])[], work: () => Promise<T>): Promise<T> {
    const before = sources.map(([file]) => [file, readFileSync(join(this.folder, file), 'utf8')] as const);
    this.#write(sources);
    try {
      return await work();
    } finally {
      this.#write(before);
    }
  }

  #write(sources: readonly (readonly [file: string, source: string])[]): void {
    for (const [file, source] of sources) writeFileSync(join(this.folder, file), source);
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
