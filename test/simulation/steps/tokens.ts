/** People give tokens to agents and take them back; whoever holds something that opens an account tries it. */
import { SCOPES } from '../../../src/lib/caller.ts';
import { adoptEnds, tryAccess } from '../access.ts';
import { callerOf } from '../actions.ts';
import type { Access, Rails } from '../door-book.ts';
import type { Person } from '../person.ts';
import type { StepKind } from '../plan.ts';
import type { Random } from '../random.ts';
import { askInTrouble, waitForService } from '../trouble.ts';
import type { World } from '../world.ts';

const MINUTE_MS = 60_000;
const OPERATIONS = 8;

export function drawRails(world: World, random: Random): Rails {
  const scopes = SCOPES.filter(() => random.chance(0.5));
  const minutes = random.pick([null, 5, 180, 1_600]);
  return {
    scopes: scopes.length > 0 ? scopes : ['tasks:read'],
    max_stage: random.pick([null, 0, 1, 2]),
    max_open_tasks: random.pick([null, 1, 50]),
    expires_at: minutes === null ? null : new Date(world.now + minutes * MINUTE_MS).toISOString(),
  };
}

export const endOf = ({ expires_at }: Rails): number =>
  expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at);

const idsOf = (world: World, { id }: Person): string[] =>
  world.query('select id from access_tokens where user_id = ?', id).map((row) => String(row.id));

const mintToken: StepKind = {
  // Worlds with doors have their own number of these.
  weight: 0,
  async run(world, actor, random) {
    const rails = drawRails(world, random);
    world.tell(`${actor.name} makes an access token: ${JSON.stringify(rails)}`);
    const before = idsOf(world, actor);
    const answer = await askInTrouble(world, random, OPERATIONS, ({ doors }) =>
      doors.tokens.mint(callerOf(actor), { name: 'agent', ...rails }, '::1'),
    );
    const news = idsOf(world, actor).filter((id) => !before.includes(id));
    if (answer === 'no answer') {
      if (news.length > 1) world.fail('access', 'One request made several tokens.');
      return;
    }
    if ('refusal' in answer) return world.fail('access', `A token was refused: ${answer.refusal}.`);
    const { id, token: secret } = answer.value;
    if (news.join() !== id) world.fail('access', `The token ${id} was answered, and ${news} is stored.`);
    const access: Access = {
      kind: 'token',
      owner: actor.id,
      id,
      secret,
      scopes: rails.scopes,
      maxStage: rails.max_stage,
      maxOpenTasks: rails.max_open_tasks,
      endsAt: endOf(rails),
      isEnded: false,
    };
    world.doors.access.push(access);
    await waitForService(world);
    await tryAccess(world, access);
    await lookAtList(world, actor);
  },
};

/** The list has every token, and shows no secret. */
async function lookAtList(world: World, actor: Person): Promise<void> {
  const answer = await world.call(({ doors }) => doors.tokens.list({ userId: actor.id }));
  if (answer === 'no answer') return;
  if ('refusal' in answer) return world.fail('access', `The list was refused: ${answer.refusal}.`);
  const listed = new Set(answer.value.map(({ id }) => id));
  const text = JSON.stringify(answer.value);
  for (const { kind, owner, id, secret, isEnded } of world.doors.access) {
    if (owner !== actor.id || kind === 'session') continue;
    if (listed.has(id) === isEnded) world.fail('access', `A ${kind} is ${isEnded ? 'still' : 'not'} listed.`);
    if (text.includes(secret)) world.fail('access', `The secret of a ${kind} is shown a second time.`);
  }
}

const useAccess: StepKind = {
  weight: 0,
  async run(world, _actor, random) {
    const { access } = world.doors;
    if (access.length === 0) return;
    const picked = random.pick(access);
    world.tell(`somebody tries a ${picked.kind} of ${world.person(picked.owner).name}`);
    await tryAccess(world, picked);
  },
};

/** The owner ends a token or a connection; now and then the one of somebody else, which changes nothing. */
const revokeAccess: StepKind = {
  weight: 0,
  async run(world, actor, random) {
    const tokens = world.doors.access.filter(({ kind, isEnded }) => kind !== 'session' && !isEnded);
    const own = tokens.filter(({ owner }) => owner === actor.id);
    const choices = random.chance(0.2) ? tokens : own;
    if (choices.length === 0) return;
    const picked = random.pick(choices);
    const { kind, id, owner } = picked;
    world.tell(`${actor.name} revokes a ${kind} of ${world.person(owner).name}`);
    const answer = await askInTrouble(world, random, OPERATIONS, ({ doors }) =>
      doors.tokens.revoke(callerOf(actor), id, '::1'),
    );
    if (answer === 'no answer') {
      const ends = adoptEnds(
        world,
        tokens.filter((one) => one.id === id),
      );
      // With a deleted account its tokens went before.
      if (ends > 0 && owner !== actor.id && !world.person(owner).isGone)
        world.fail('access', 'Somebody else ended a token.');
    } else if ('value' in answer) {
      if (owner !== actor.id) world.fail('access', 'A token of somebody else was revoked.');
      world.doors.end(id);
    } else if (owner === actor.id) world.fail('access', `Revoking was refused: ${answer.refusal}.`);
    await waitForService(world);
    await tryAccess(world, picked);
  },
};

export const steps = { mintToken, useAccess, revokeAccess };
