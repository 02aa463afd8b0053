/** Applies a filter of `calendar-query` to one task, due on 5 March 2026. */
import { readComponents } from '../../src/caldav/content-lines.ts';
import { readFilter } from '../../src/caldav/filters.ts';
import { readXml } from '../../src/caldav/xml-reader.ts';

const TEXT =
  'BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\nUID:the-uid\r\nSUMMARY:x\r\nDUE:20260305T080000Z\r\nSTATUS:NEEDS-ACTION\r\nEND:VTODO\r\nEND:VCALENDAR\r\n';
const DUE = Date.parse('2026-03-05T08:00:00Z');

export async function filterEntry(inner: string): Promise<boolean> {
  const xml = `<C:filter xmlns:C="urn:ietf:params:xml:ns:caldav"><C:comp-filter name="VCALENDAR"><C:comp-filter name="VTODO">${inner}</C:comp-filter></C:comp-filter></C:filter>`;
  const [calendar] = readComponents(TEXT);
  if (!calendar) throw new Error('no calendar');
  const times = { start: null, due: DUE, completed: null, created: DUE - 86_400_000 };
  return readFilter(await readXml(xml)).matches({ calendar, times });
}
