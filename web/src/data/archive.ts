/** What a person takes along, and brings in. */
import { ask, dataOf } from '../api/call.ts';
import type { ImportReport } from '../api/client.ts';
import { mergeReports, partsOf } from './archive-parts.ts';

/** As the service sends it, straight into a file: an account may have a lot to say. */
export async function readArchive(): Promise<Blob> {
  return (await ask('/v1/me/export')).blob();
}

/** Part by part, since one import takes only so much; ends early where a part was not taken in. */
export async function importFile(file: File, leavingOut: boolean): Promise<ImportReport> {
  const isCalendar = file.type === 'text/calendar' || /\.ics$/i.test(file.name);
  const reports: ImportReport[] = [];
  for (const part of isCalendar ? [file] : await partsOf(file)) {
    for (let from: number | null = 0; from !== null; ) {
      const report = await importPart(part, isCalendar, leavingOut, from);
      reports.push(report);
      if (report.items.some(({ result }) => result === 'refused') && !leavingOut) return mergeReports(reports);
      from = report.next;
    }
  }
  return mergeReports(reports);
}

async function importPart(part: Blob, isCalendar: boolean, leavingOut: boolean, from: number): Promise<ImportReport> {
  const headers = { 'Content-Type': isCalendar ? 'text/calendar' : 'application/json' };
  const path = `/v1/me/import?from=${from}${leavingOut ? '&partial=true' : ''}`;
  return dataOf(await ask(path, { method: 'POST', headers, body: part }));
}
