/** Makes files out of an archive that are each small enough for one import, and one report out of theirs. */
import type { ImportReport } from '../api/client.ts';

/** The service takes 25 MiB; timelines, most of a large archive, are not read by an import. */
const LARGEST_PART = 16 * 1024 * 1024;

interface Archive {
  readonly tasks?: unknown;
}

/** The file itself where it is small, or where it is no archive: then the service says what is wrong with it. */
export async function partsOf(file: Blob): Promise<Blob[]> {
  if (file.size <= LARGEST_PART) return [file];
  const archive = readArchive(await file.text());
  if (!archive || !Array.isArray(archive.tasks)) return [file];
  const { tasks, requests: _, ...rest } = archive as { tasks: unknown[]; requests?: unknown };
  return [...chunksOf(tasks)].map((some) => new Blob([JSON.stringify({ ...rest, tasks: some })]));
}

function readArchive(text: string): Archive | undefined {
  try {
    const document = JSON.parse(text);
    return document.data ?? document;
  } catch {
    return undefined;
  }
}

function* chunksOf(tasks: readonly unknown[]): Generator<unknown[]> {
  let [chunk, length]: [unknown[], number] = [[], 0];
  for (const task of tasks) {
    const bare = typeof task === 'object' && task !== null ? { ...task, timeline: undefined } : task;
    // A character of JSON has up to three bytes.
    length += 3 * (JSON.stringify(bare)?.length ?? 0);
    if (length > LARGEST_PART && chunk.length > 0) {
      yield chunk;
      [chunk, length] = [[], 0];
    }
    chunk.push(bare);
  }
  yield chunk;
}

/** The sums of all parts; the last one says how it ended. */
export function mergeReports(reports: readonly ImportReport[]): ImportReport {
  return reports.reduce((sum, report) => ({
    ...report,
    imported: sum.imported + report.imported,
    skipped: sum.skipped + report.skipped,
    refused: sum.refused + report.refused,
    quiet: sum.quiet + report.quiet,
    left_behind: {
      spaces: sum.left_behind.spaces + report.left_behind.spaces,
      assigners: sum.left_behind.assigners + report.left_behind.assigners,
    },
    zone: { ...report.zone, taken_over: sum.zone.taken_over || report.zone.taken_over },
    items: [...sum.items, ...report.items],
  }));
}
