/** How apps ask the service by CalDAV. */
import type { Preconditions } from '../../src/caldav/caldav-writing.service.ts';
import { DavRefusal } from '../../src/caldav/dav-refusal.ts';
import type { App } from './apps.ts';
import type { Answer, Services } from './process.ts';
import type { World } from './world.ts';

export const NO_PRECONDITION: Preconditions = { mustBeNew: false, tags: undefined };

export const callerOf = ({ owner }: App) =>
  ({
    kind: 'token',
    userId: owner,
    tokenId: owner,
    scopes: ['tasks:read', 'tasks:write'],
    maxStage: null,
    maxOpenTasks: null,
    shortestWait: null,
    via: 'caldav',
  }) as const;

/** What CalDAV answers: a value, or the status of a refusal. */
type Answered<T> = Answer<{ readonly value: T } | { readonly status: number }>;

export const ask = <T>(world: World, request: (services: Services) => Promise<T>): Promise<Answered<T>> =>
  world.call(async (services) => {
    try {
      return { value: await request(services) };
    } catch (error) {
      if (error instanceof DavRefusal) return { status: error.status };
      throw error;
    }
  });

/** The status of an answer, as HTTP has it; undefined if there was none. */
export function statusOf(answer: Answered<unknown>): number | undefined {
  if (answer === 'no answer') return undefined;
  if ('refusal' in answer) return answer.refusal === 'not_found' ? 404 : 400;
  return 'status' in answer.value ? answer.value.status : 200;
}
