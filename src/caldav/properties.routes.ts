/** PROPFIND and PROPPATCH. */
import { chargeRows } from '../http/limit-costs.ts';
import { askedIn, asksForLength, splitName } from './asked-properties.ts';
import { LONGEST_BYTES } from './caldav-writing.service.ts';
import { bodyOf, type DavRequest, isMinimal, sendMultistatus, XML_TYPE } from './dav-http.routes.ts';
import { infiniteDepth, nothingHere } from './dav-refusal.ts';
import { type Resource, type ResponseWish, refusedProperties, writeResponse } from './properties.ts';
import { childrenOf, nameIn } from './xml-reader.ts';
import { DAV, MULTISTATUS } from './xml-writer.ts';

export async function answerPropfind(dav: DavRequest): Promise<unknown> {
  const { request, reply } = dav;
  const depth = String(request.headers.depth ?? '0').toLowerCase();
  if (depth !== '0' && depth !== '1') throw infiniteDepth();
  const asked = askedIn(await bodyOf(request));
  const wish = { asked, person: dav.person, isMinimal: isMinimal(request), longest: LONGEST_BYTES };
  return sendMultistatus(request, reply, resourcesAt(dav, depth === '1', wish), '');
}

async function* resourcesAt(dav: DavRequest, isDeep: boolean, wish: ResponseWish): AsyncGenerator<string> {
  const { path } = dav;
  if (path.kind === 'task') yield await taskAt(dav, path, wish);
  else if (path.kind === 'list') yield* listAt(dav, path.list, isDeep, wish);
  else {
    yield writeResponse({ kind: path.kind }, wish);
    if (path.kind === 'home' && isDeep) yield (await listsOf(dav)).map((list) => writeResponse(list, wish)).join('');
  }
}

async function taskAt(
  { reading, caller: { userId } }: DavRequest,
  { list, name }: { readonly list: string; readonly name: string },
  wish: ResponseWish,
): Promise<string> {
  const ids = [...(await reading.idsOfNames(userId, [name])).values()];
  const entries = { list, view: await reading.view(userId), withText: true, charge: () => undefined };
  for await (const [entry] of reading.entries(userId, ids, entries))
    if (entry?.found) return writeResponse({ kind: 'task', list, entry }, wish);
  throw nothingHere();
}

async function listsOf({ reading, caller: { userId } }: DavRequest): Promise<Extract<Resource, { kind: 'list' }>[]> {
  const view = await reading.view(userId);
  const token = await reading.token(userId, view);
  const lists = await reading.lists(userId);
  return lists.map((list, index) => ({ kind: 'list', list, token, zone: view.zone, order: index + 1 }));
}

async function* listAt(dav: DavRequest, list: string, isDeep: boolean, wish: ResponseWish): AsyncGenerator<string> {
  const { reading, caller } = dav;
  const { userId } = caller;
  const found = (await listsOf(dav)).find((one) => one.list.id === list);
  if (!found) throw nothingHere();
  yield writeResponse(found, wish);
  if (!isDeep) return;
  const charge = (rows: number) => chargeRows(dav.request, rows);
  const entries = { list, view: await reading.view(userId), withText: asksForLength(wish.asked), charge };
  for await (const page of reading.entries(userId, await reading.memberIds(userId, list), entries))
    yield page.flatMap((entry) => (entry.found ? writeResponse({ kind: 'task', list, entry }, wish) : [])).join('');
}

export async function answerProppatch({ request, reply, path, reading, caller }: DavRequest): Promise<unknown> {
  if (path.kind === 'list') await reading.getList(caller.userId, path.list);
  if (path.kind === 'task' && !(await reading.find(caller.userId, path.list, path.name))) throw nothingHere();
  const root = await bodyOf(request);
  const changes = ['set', 'remove'].flatMap((name) => childrenOf(root, nameIn(DAV, name)));
  const props = changes
    .flatMap((change) => childrenOf(change, nameIn(DAV, 'prop')))
    .flatMap(({ children }) => children);
  const names = props.map(({ name }) => splitName(name));
  const response = refusedProperties(request.url.replace(/[?#].*$/s, ''), names);
  return reply.code(207).type(XML_TYPE).send(`${MULTISTATUS.begin}${response}${MULTISTATUS.end}`);
}
