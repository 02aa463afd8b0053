/** For transactions that make something that outlives the session of the caller. */
import type { SessionCaller } from '../lib/caller.ts';
import { AppError } from '../lib/errors.ts';
import type { Db } from './schema.ts';

/**
 * Throws if the session has ended since the request began. The lock makes an end that comes later wait for the commit, so
 * nothing of an ended session appears after its end.
 */
export async function requireLiveSession(trx: Db, { sessionId }: Pick<SessionCaller, 'sessionId'>): Promise<void> {
  const session = trx.selectFrom('sessions').select('id').where('id', '=', sessionId).forShare();
  if (!(await session.executeTakeFirst())) throw new AppError('unauthenticated');
}
