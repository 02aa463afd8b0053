/** REPORT: `calendar-query`, `calendar-multiget` and `sync-collection`. */

import { chargeRows } from '../http/limit-costs.ts';
import { nextTurn } from '../lib/next-turn.ts';
import { ROWS_PER_LATER_PAGE, slicesOf } from '../lib/pages.ts';
import { askedIn, asksForText } from './asked-properties.ts';
import type { EntryWish } from './caldav-reading.service.ts';
import { LONGEST_BYTES } from './caldav-writing.service.ts';
import { readComponents } from './content-lines.ts';
import { bodyOf, type DavRequest, isMinimal, sendMultistatus } from './dav-http.routes.ts';
import { unknownReport } from './dav-refusal.ts';
import { type Filter, readFilter } from './filters.ts';
import { ownName, parsePath, taskPath } from './paths.ts';
import { missingResponse, type ResponseWish, writeResponse } from './properties.ts';
import { childOf, childrenOf, nameIn, type XmlElement } from './xml-reader.ts';
import { CALDAV, DAV, dav as davElement, escapeXml } from './xml-writer.ts';

interface Report {
  readonly dav: DavRequest;
  readonly list: string;
  readonly root: XmlElement;
  readonly response: ResponseWish;
  readonly entries: EntryWish;
}

export async function answerReport(dav: DavRequest): Promise<unknown> {
  const { request, reply, path, reading, caller, person } = dav;
  const root = await bodyOf(request);
  if (path.kind !== 'list' || !root) throw unknownReport();
  const { list } = path;
  await reading.getList(caller.userId, list);
  const asked = askedIn(root);
  const view = await reading.view(caller.userId);
  const charge = (rows: number) => chargeRows(request, rows);
  const report: Report = {
    dav,
    list,
    root,
    response: { asked, person, isMinimal: isMinimal(request), longest: LONGEST_BYTES },
    entries: { list, view, withText: asksForText(asked), charge },
  };
  switch (root.name) {
    case nameIn(CALDAV, 'calendar-query'):
      return sendMultistatus(request, reply, await query(report), '');
    case nameIn(CALDAV, 'calendar-multiget'):
      return sendMultistatus(request, reply, multiget(report), '');
    case nameIn(DAV, 'sync-collection'): {
      const { pages, token } = await changes(report);
      return sendMultistatus(request, reply, pages, davElement('sync-token', escapeXml(token)));
    }
    default:
      throw unknownReport();
  }
}

/** The filter is read before the answer begins, so that one that we cannot follow is refused. */
async function query({ dav, list, root, response, entries }: Report): Promise<AsyncGenerator<string>> {
  const filter = readFilter(childOf(root, nameIn(CALDAV, 'filter')));
  const { userId } = dav.caller;
  const ids = await dav.reading.memberIds(userId, list);
  const wish = { ...entries, withText: entries.withText || !filter.takesAll };
  const pages = dav.reading.entries(userId, ids, wish);
  return (async function* () {
    for await (const page of pages) {
      const found = page.filter((entry) => entry.found && matches(filter, entry.found));
      yield found.map((entry) => writeResponse({ kind: 'task', list, entry }, response)).join('');
    }
  })();
}

function matches(
  filter: Filter,
  { text, times }: { text: string | undefined; times: () => Parameters<Filter['matches']>[0]['times'] },
) {
  if (filter.takesAll || text === undefined) return true;
  const [calendar] = readComponents(text);
  return calendar !== undefined && filter.matches({ calendar, times: times() });
}

/** In the order of their pages; what is not there comes last. Each has the address by which it was asked for. */
async function* multiget({ dav, list, root, response, entries }: Report): AsyncGenerator<string> {
  const { userId } = dav.caller;
  const asked = new Map<string, string>();
  const missing: string[] = [];
  for (const { text } of childrenOf(root, nameIn(DAV, 'href'))) {
    const path = parsePath(text.trim());
    if (path?.kind === 'task' && path.userId === userId && path.list === list) asked.set(path.name, text.trim());
    else missing.push(text.trim());
  }
  const ids = await dav.reading.idsOfNames(userId, [...asked.keys()]);
  const addresses = new Map([...ids].map(([name, id]) => [id, asked.get(name) ?? taskPath(userId, list, name)]));
  const left = new Map([...asked]);
  const names = new Map([...ids].map(([name, id]) => [id, name]));
  for await (const page of dav.reading.entries(userId, [...addresses.keys()], entries)) {
    const found = page.filter((entry) => entry.found);
    for (const { id } of found) left.delete(names.get(id) ?? '');
    yield found
      .map((entry) =>
        writeResponse({ kind: 'task', list, entry }, { ...response, at: addresses.get(entry.id) as string }),
      )
      .join('');
  }
  yield [...left.values(), ...missing].map(missingResponse).join('');
}

async function changes({ dav, list, root, response, entries }: Report) {
  const sent = childOf(root, nameIn(DAV, 'sync-token'))?.text ?? '';
  const { userId } = dav.caller;
  const { ids, removed, token } = await dav.reading.changedIds(dav.caller, list, entries.view, sent);
  const pages = dav.reading.entries(userId, ids, entries);
  const write = async function* () {
    for await (const page of pages)
      yield page
        .map((entry) =>
          entry.found
            ? writeResponse({ kind: 'task', list, entry }, response)
            : missingResponse(taskPath(userId, list, entry.name)),
        )
        .join('');
    for (const page of slicesOf(removed, ROWS_PER_LATER_PAGE)) {
      await nextTurn();
      entries.charge(page.length);
      yield page.map((id) => missingResponse(taskPath(userId, list, ownName(id)))).join('');
    }
  };
  return { pages: write(), token };
}
