/** Whether what somebody holds opens an account, as the model says, and what it opens. */
import type { Caller } from '../../src/lib/caller.ts';
import type { Access } from './door-book.ts';
import type { World } from './world.ts';

/** A moment that is so close may pass during the request. */
const CLOSE_MS = 1_000;

const isAlive = (world: World, { owner, isEnded, endsAt }: Access): boolean => {
  const { isGone, settings } = world.person(owner);
  return !isEnded && !isGone && settings.isSuspended !== true && world.now < endsAt;
};

export async function tryAccess(world: World, access: Access): Promise<void> {
  // What has expired by a clock that was ahead may be deleted.
  if (Math.abs(access.endsAt - world.now) < CLOSE_MS || world.clocks.isShownTwice(access.endsAt)) return;
  const caller = await callerOfSecret(world, access.secret);
  if (caller === 'no answer') return;
  const name = world.person(access.owner).name;
  const isWanted = isAlive(world, access);
  if (!caller && isWanted) world.fail('access', `A ${access.kind} of ${name} opens nothing, and has not ended.`);
  if (caller && !isWanted) world.fail('access', `A ${access.kind} of ${name} has ended, and still opens the account.`);
  const wrong = caller && findWrong(access, caller);
  if (wrong) world.fail('access', `A ${access.kind} of ${name} opens ${wrong}.`);
}

export async function callerOfSecret(world: World, secret: string): Promise<Caller | undefined | 'no answer'> {
  const answer = await world.call(({ doors }) => doors.authenticate(secret));
  if (answer === 'no answer') return answer;
  return 'refusal' in answer ? world.fail('access', `It was refused with ${answer.refusal}.`) : answer.value;
}

function findWrong(access: Access, caller: Caller): string | undefined {
  const { owner, id, kind, scopes, maxStage, maxOpenTasks } = access;
  if (caller.userId !== owner) return 'the account of somebody else';
  if (caller.kind === 'session') return kind === 'session' && caller.sessionId === id ? undefined : 'another session';
  const isSame = caller.tokenId === id && caller.isConnection === (kind === 'connection');
  const given = JSON.stringify([caller.scopes.toSorted(), caller.maxStage, caller.maxOpenTasks]);
  const wanted = JSON.stringify([scopes.toSorted(), maxStage, maxOpenTasks]);
  return isSame && given === wanted ? undefined : `${given} instead of ${wanted}`;
}

/** Of a request without an answer: what is no longer stored has ended. Returns how many have. */
export function adoptEnds(world: World, all: readonly Access[]): number {
  const ended = all.filter(({ kind, id }) => {
    const table = kind === 'session' ? 'sessions' : 'access_tokens';
    return world.query(`select id from ${table} where id = ?`, id).length === 0;
  });
  for (const access of ended) access.isEnded = true;
  return ended.length;
}
