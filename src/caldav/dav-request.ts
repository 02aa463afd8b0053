import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TokenCaller } from '../lib/caller.ts';
import type { CaldavReadingService } from './caldav-reading.service.ts';
import type { DavPath } from './paths.ts';
import type { Person } from './properties.ts';

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
