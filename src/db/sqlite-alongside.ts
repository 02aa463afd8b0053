/**
 * Opens the file for a command while the service has it: no lock, no migration, nothing made.
 *
 * SQLite lets two processes take turns at writing. The service waits 100 ms for its turn and then
 * runs its unit again a few times, so what is written from here must be short; the command itself
 * can wait for longer. A path that leads nowhere is refused: looking must not leave a file behind.
 */
import { existsSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { type Files, refuseOtherFiles, UnusableFileError } from './sqlite-files.ts';

const PATIENCE_MS = 5_000;

/**
 * The service tells those who sync that nothing is stamped before a certain moment any more, and does
 * not know of units under way here. So they are stamped this much ahead: whoever syncs meanwhile
 * gets the change once more instead of never.
 */
export const STAMP_AHEAD_MS = 10_000;

export function openFilesAlongside(file: string): Files {
  refuseMissing(file);
  const reader = new DatabaseSync(file, { readOnly: true, timeout: PATIENCE_MS });
  const writer = new DatabaseSync(file, { timeout: PATIENCE_MS });
  writer.exec('pragma synchronous = full; pragma foreign_keys = on');
  const close = () => {
    reader.close();
    writer.close();
  };
  return { writer, reader, close };
}

/**
 * For whoever only looks. A process that was killed leaves its last writes in a side file, and the
 * next writer merges them; so where there is one, no writer is opened. Where there is none, a writer
 * that writes nothing takes its own side files away again, which a reader cannot.
 */
export function openFilesToLook(file: string): Files {
  refuseMissing(file);
  const readOnly = ['-wal', '-journal'].some((side) => existsSync(file + side));
  const only = new DatabaseSync(file, { readOnly, timeout: PATIENCE_MS });
  return { writer: only, reader: only, close: () => only.close() };
}

function refuseMissing(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found?.isFile() || found.size === 0) {
    throw new UnusableFileError(
      `DATABASE_URL: there is no database at ${file} yet. The service makes it when it starts.`,
    );
  }
  refuseOtherFiles(file);
}
