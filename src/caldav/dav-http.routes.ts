/** What the routes of CalDAV share: who asks, what a body says, and how answers are sent. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendStream } from '../http/streamed-answer.ts';
import type { TokenCaller } from '../lib/caller.ts';
import type { CaldavReadingService } from './caldav-reading.service.ts';
import type { DavPath } from './paths.ts';
import type { Person } from './properties.ts';
import { readXml, type XmlElement } from './xml-reader.ts';
import { MULTISTATUS } from './xml-writer.ts';

/** A request of an app whose password was right, for something of its own person. */
export interface DavRequest {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly caller: TokenCaller;
  readonly person: Person;
  readonly path: DavPath;
  readonly reading: CaldavReadingService;
}

export const XML_TYPE = 'application/xml; charset=utf-8';

/** Undefined for an empty body. */
export async function bodyOf({ body }: FastifyRequest): Promise<XmlElement | undefined> {
  const text = typeof body === 'string' ? body.trim() : '';
  return text === '' ? undefined : readXml(text);
}

export const isMinimal = ({ headers }: FastifyRequest): boolean =>
  /return=minimal/i.test(String(headers.prefer ?? '')) || headers.brief === 't';

/** Shorter answers are sent as a whole. */
const SHORT_CHARACTERS = 65_536;

/** A long answer is sent page by page. */
export async function sendMultistatus(
  request: FastifyRequest,
  reply: FastifyReply,
  pages: AsyncGenerator<string>,
  end: string,
): Promise<unknown> {
  let text = MULTISTATUS.begin;
  let page = await pages.next();
  for (; !page.done && text.length < SHORT_CHARACTERS; page = await pages.next()) text += page.value;
  reply.code(207);
  const ending = `${end}${MULTISTATUS.end}`;
  if (page.done) return reply.type(XML_TYPE).send(`${text}${ending}`);
  const { value } = page;
  const chunks = async function* () {
    yield `${text}${value}`;
    yield* pages;
    yield ending;
  };
  return sendStream(request, reply, chunks(), XML_TYPE);
}
