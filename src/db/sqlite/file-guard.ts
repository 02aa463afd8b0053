/**
 * Notices when the files of an open SQLite database were deleted, replaced, truncated or given a second name.
 * SQLite does not: it goes on writing to a file that no path leads to, and everything it acknowledges from then
 * on is lost when the process ends.
 */
import { type Stats, statSync } from 'node:fs';

/** A write would be lost: the files on disk are not the ones that are open. */
export class DatabaseFileFault extends Error {
  override readonly name = 'DatabaseFileFault';
}

export class FileGuard {
  readonly #file: string;
  readonly #seen = new Map<string, Stats>();

  constructor(file: string) {
    this.#file = file;
  }

  /** What is wrong with the files, in words; undefined if nothing is. Costs some microseconds. */
  findFault(): string | undefined {
    for (const path of [this.#file, `${this.#file}.lock`, `${this.#file}-wal`]) {
      const fault = this.#findFaultOf(path);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }

  #findFaultOf(path: string): string | undefined {
    const [before, now] = [this.#seen.get(path), statSync(path, { throwIfNoEntry: false })];
    // SQLite creates its log with the first write.
    if (!now) return before && `${path} was deleted.`;
    if (before && (before.ino !== now.ino || before.dev !== now.dev)) return `${path} was replaced by another file.`;
    if (path !== this.#file) return this.#remember(path, now);
    if (now.nlink > 1) return `${path} has a second name; a process that opens it there damages it.`;
    // Only VACUUM makes the file smaller, and the service never runs it.
    if (before && now.size < before.size) return `${path} was truncated.`;
    return this.#remember(path, now);
  }

  #remember(path: string, stats: Stats): undefined {
    this.#seen.set(path, stats);
  }
}
