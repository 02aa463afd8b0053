/** What a person takes along, and brings in. */
import { ask, dataOf } from '../api/call.ts';
import type { ImportReport } from '../api/client.ts';

/** As the service sends it, straight into a file: an account may have a lot to say. */
export async function readArchive(): Promise<Blob> {
  return (await ask('/v1/me/export')).blob();
}

export async function importFile(file: File, leavingOut: boolean): Promise<ImportReport> {
  const isCalendar = file.type === 'text/calendar' || /\.ics$/i.test(file.name);
  const headers = { 'Content-Type': isCalendar ? 'text/calendar' : 'application/json' };
  const path = `/v1/me/import${leavingOut ? '?partial=true' : ''}`;
  return dataOf(await ask(path, { method: 'POST', headers, body: file }));
}
