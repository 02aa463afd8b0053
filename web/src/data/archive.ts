/** Downloads the account's archive, and imports archives and calendar files. */
import { readData, request } from '../api/call.ts';
import type { ImportReport } from '../api/client.ts';

/** The service accepts 25 MiB per import. */
const MAX_PART_BYTES = 16 * 1024 * 1024;

/** Returns the response body as it is, without parsing: an archive can be large. */
export async function downloadArchive(): Promise<Blob> {
  return (await request('/v1/me/export')).blob();
}

/**
 * Splits a large archive into several imports and adds up their reports. Stops at the first part with
 * a refused task, unless `isPartial` allows refused tasks to be left out.
 */
export async function importFile(file: File, isPartial: boolean): Promise<ImportReport> {
  const isCalendar = file.type === 'text/calendar' || /\.ics$/i.test(file.name);
  const reports: ImportReport[] = [];
  for (const part of isCalendar ? [file] : await splitArchive(file)) {
    for (let from: number | null = 0; from !== null; ) {
      const report = await importPart(part, isCalendar, isPartial, from);
      reports.push(report);
      if (report.items.some(({ result }) => result === 'refused') && !isPartial) return mergeReports(reports);
      from = report.next;
    }
  }
  return mergeReports(reports);
}

async function importPart(part: Blob, isCalendar: boolean, isPartial: boolean, from: number): Promise<ImportReport> {
  const headers = { 'Content-Type': isCalendar ? 'text/calendar' : 'application/json' };
  const path = `/v1/me/import?from=${from}${isPartial ? '&partial=true' : ''}`;
  return readData(await request(path, { method: 'POST', headers, body: part }));
}

/** Returns a file that is not an archive unchanged, so that the service explains what is wrong with it. */
async function splitArchive(file: Blob): Promise<Blob[]> {
  if (file.size <= MAX_PART_BYTES) return [file];
  const { tasks, requests: _, ...rest } = parseArchive(await file.text()) ?? {};
  if (!Array.isArray(tasks)) return [file];
  return [...chunkTasks(tasks)].map((chunk) => new Blob([JSON.stringify({ ...rest, tasks: chunk })]));
}

function parseArchive(text: string): { readonly tasks?: unknown; readonly requests?: unknown } | undefined {
  try {
    const document = JSON.parse(text);
    return document.data ?? document;
  } catch {
    return undefined;
  }
}

/** Drops the timelines, most of a large archive: an import does not read them. */
function* chunkTasks(tasks: readonly unknown[]): Generator<unknown[]> {
  let chunk: unknown[] = [];
  let bytes = 0;
  for (const task of tasks) {
    const bare = typeof task === 'object' && task !== null ? { ...task, timeline: undefined } : task;
    // A character of JSON has up to three bytes.
    const size = 3 * (JSON.stringify(bare)?.length ?? 0);
    if (bytes + size > MAX_PART_BYTES && chunk.length > 0) {
      yield chunk;
      chunk = [];
      bytes = 0;
    }
    bytes += size;
    chunk.push(bare);
  }
  yield chunk;
}

/** Adds up the counts; everything else comes from the last report. */
function mergeReports(reports: readonly ImportReport[]): ImportReport {
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
    // Each part of a split archive names the same channels.
    channels: sum.channels.length > 0 ? sum.channels : report.channels,
    items: [...sum.items, ...report.items],
  }));
}
