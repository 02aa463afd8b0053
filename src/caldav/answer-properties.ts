/** PROPFIND and PROPPATCH. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { chargeRows } from '../http/limit-costs.ts';
import { sendStream } from '../http/streamed-answer.ts';
import { askedIn, asksForLength, splitName } from './asked-properties.ts';
import { LONGEST_BYTES } from './caldav-writing.service.ts';
import { type DavRequest, XML_TYPE } from './dav-request.ts';
import { infiniteDepth, nothingHere } from './dav-refusal.ts';
import { type Resource, type ResponseWish, refusedProperties, writeResponse } from './properties.ts';
import { childrenOf, nameIn, readXml, type XmlElement } from './xml-reader.ts';
import { DAV, MULTISTATUS } from './xml-writer.ts';

/** Undefined for an empty body. */
export async function bodyOf({ body }: FastifyRequest): Promise<XmlElement | undefined> {
  const text = typeof body === 'string' ? body.trim() : '';
  return text === '' ? undefined : readXml(text);
}

export const isMinimal = ({ headers }: FastifyRequest): boolean =>
  /return=minimal/i.test(String(headers.prefer ?? '')) || headers.brief === 't';

export async function answerPropfind(dav: DavRequest): Promise<unknown> {
  const { request, reply } = dav;
  const depth = String(request.headers.depth ?? '0').toLowerCase();
  if (depth !== '0' && depth !== '1') throw infiniteDepth();
  const asked = askedIn(await bodyOf(request));
  const wish = { asked, person: dav.person, isMinimal: isMinimal(request), longest: LONGEST_BYTES };
  return sendMultistatus(request, reply, resourcesAt(dav, depth === '1', wish), '');
}

async function* resourcesAt(dav: DavRequest, isDeep: boolean, wish: ResponseWish): AsyncGenerator<string> {
  const { path, reading, caller } = dav;
  const { userId } = caller;
  const write = (resource: Resource) => writeResponse(resource, wish);
  if (path.kind === 'root' || path.kind === 'principal') return yield write({ kind: path.kind });
  const view = await reading.view(userId);
  if (path.kind === 'task') {
    const ids = [...(await reading.idsOfNames(userId, [path.name])).values()];
    const charge = () => undefined;
    for await (const [entry] of reading.entries(userId, ids, { list: path.list, view, withText: true, charge })) {
      if (entry?.found) return yield write({ kind: 'task', list: path.list, entry });
    }
    throw nothingHere();
  }
  const lists = await reading.lists(userId);
  const shown = path.kind === 'list' ? lists.filter(({ id }) => id === path.list) : isDeep ? lists : [];
  if (path.kind === 'list' && shown.length === 0) throw nothingHere();
  const token = shown.length > 0 ? await reading.token(userId, view) : '';
  const written = shown.map((list) =>
    write({ kind: 'list', list, token, zone: view.zone, order: lists.indexOf(list) + 1 }),
  );
  yield [...(path.kind === 'home' ? [write({ kind: 'home' })] : []), ...written].join('');
  if (path.kind !== 'list' || !isDeep) return;
  const { list } = path;
  const charge = (rows: number) => chargeRows(dav.request, rows);
  const entries = { list, view, withText: asksForLength(wish.asked), charge };
  for await (const page of reading.entries(userId, await reading.memberIds(userId, list), entries))
    yield page.flatMap((entry) => (entry.found ? write({ kind: 'task', list, entry }) : [])).join('');
}

export async function answerProppatch({ request, reply, path, reading, caller }: DavRequest): Promise<unknown> {
  if (path.kind === 'list') await reading.getList(caller.userId, path.list);
  if (path.kind === 'task' && !(await reading.find(caller.userId, path.list, path.name))) throw nothingHere();
  const root = await bodyOf(request);
  const changes = ['set', 'remove'].flatMap((name) => childrenOf(root, nameIn(DAV, name)));
  const props = changes.flatMap((change) => childrenOf(change, nameIn(DAV, 'prop'))).flatMap(({ children }) => children);
  const names = props.map(({ name }) => splitName(name));
  const response = refusedProperties(request.url.replace(/[?#].*$/s, ''), names);
  return reply.code(207).type(XML_TYPE).send(`${MULTISTATUS.begin}${response}${MULTISTATUS.end}`);
}

/** A short answer is sent as a whole, and a long one page by page. */
export async function sendMultistatus(
  request: FastifyRequest,
  reply: FastifyReply,
  pages: AsyncGenerator<string>,
  end: string,
): Promise<unknown> {
  const first = await pages.next();
  const second = first.done ? first : await pages.next();
  const begin = `${MULTISTATUS.begin}${first.value ?? ''}`;
  reply.code(207);
  if (second.done) return reply.type(XML_TYPE).send(`${begin}${end}${MULTISTATUS.end}`);
  const chunks = async function* () {
    yield begin;
    yield second.value;
    yield* pages;
    yield `${end}${MULTISTATUS.end}`;
  };
  return sendStream(request, reply, chunks(), XML_TYPE);
}
