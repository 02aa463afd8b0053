/** Messages about requests and about stand-ins, with everything that their text and their decision need. */
import type { Db } from '../db/schema.ts';
import type { RequestToTell } from '../tasks/requests/request-messages.ts';
import { listTaskRequests } from './request-facts.store.ts';
import { listStandInsToTell } from './stand-in-facts.store.ts';

export type { RequestToTell } from '../tasks/requests/request-messages.ts';

/** By id. */
export async function listRequestsToTell(db: Db, all: readonly string[]): Promise<Map<string, RequestToTell>> {
  const ids = [...new Set(all)];
  if (ids.length === 0) return new Map();
  const aboutTasks = await listTaskRequests(db, ids);
  const aboutStandIns = aboutTasks.length < ids.length ? await listStandInsToTell(db, ids) : [];
  return new Map([...aboutTasks, ...aboutStandIns].map((request) => [request.id, request]));
}
