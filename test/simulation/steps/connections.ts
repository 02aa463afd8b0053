/** People connect assistants, which exchange codes and refresh tokens, at times twice or too late. */
import { createHash } from 'node:crypto';
import { callerOfSecret, tryAccess } from '../access.ts';
import { callerOf } from '../actions.ts';
import type { Access, Rails, Refresh } from '../door-book.ts';
import type { Person } from '../person.ts';
import type { StepKind } from '../plan.ts';
import type { Answer, Services } from '../process.ts';
import type { Random } from '../random.ts';
import { askInTrouble, waitForService } from '../trouble.ts';
import type { World } from '../world.ts';
import { drawRails, endOf } from './tokens.ts';

const SERVICE = 'https://crescendo.example.org';
const REDIRECT = 'https://helper.example.org/answer';
const DAY_MS = 86_400_000;
const CODE_MS = 60_000;
const ACCESS_MS = DAY_MS;
const REFRESH_MS = 90 * DAY_MS;
const GRACE_MS = 120_000;
/** A moment that is so close may pass during the request. */
const CLOSE_MS = 1_000;
const OPERATIONS = 12;

type Pair = Awaited<ReturnType<Services['doors']['connections']['exchangeCode']>>;

/** What a person agreed to, as the assistant has it. */
interface Agreed {
  readonly owner: Person;
  readonly rails: Rails;
  readonly code: string;
  readonly verifier: string;
}

const clientOf = ({ registered }: Services['doors']) =>
  registered.register({ name: 'Helper', redirectUris: [REDIRECT], auth: 'none' });

const askingIn = (doors: Services['doors']) => ({
  claim: { id: clientOf(doors).id, secret: undefined, assertion: undefined },
  audiences: [SERVICE],
  address: '192.0.2.9',
});

const connect: StepKind = {
  // Worlds with doors have their own number of these.
  weight: 0,
  async run(world, actor, random) {
    const agreed = await agree(world, actor, random);
    if (!agreed) return;
    const trouble = random.pick(['none', 'none', 'wrong verifier', 'twice', 'twice at once', 'too late']);
    if (trouble !== 'none') world.tell(`  ${trouble}`);
    if (trouble === 'wrong verifier') {
      const other = {
        ...agreed,
        verifier: 'another verifier, which is long enough to be one'.replaceAll(/[ ,]/g, '-'),
      };
      refuse(world, await world.call(exchangeOf(other)), 'A code was exchanged without its verifier.');
    }
    if (trouble === 'too late') {
      await world.pass(CODE_MS + CLOSE_MS);
      return refuse(world, await world.call(exchangeOf(agreed)), 'A code was exchanged after its end.');
    }
    if (trouble === 'twice at once') return exchangeTwice(world, agreed);
    const access = await exchangeUntilAnswered(world, agreed, random);
    if (trouble !== 'twice' || !access || world.process.isDead) return;
    const again = await world.call(exchangeOf(agreed));
    refuse(world, again, 'A code was exchanged twice.');
    await followReuse(world, access, again);
  },
};

async function agree(world: World, actor: Person, random: Random): Promise<Agreed | undefined> {
  const rails = drawRails(world, random);
  const verifier = Array.from({ length: 43 }, () => random.below(10)).join('');
  world.tell(`${actor.name} lets an assistant in: ${JSON.stringify(rails)}`);
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const answer = await askInTrouble(world, random, OPERATIONS, ({ doors }) => {
    const query = new URLSearchParams({
      client_id: clientOf(doors).id,
      redirect_uri: REDIRECT,
      response_type: 'code',
      code_challenge: challenge,
      code_challenge_method: 'S256',
    });
    return doors.consent.decide(callerOf(actor), { query: `${query}`, agrees: true, rails }, SERVICE, '192.0.2.1');
  });
  await waitForService(world);
  if (answer === 'no answer') return undefined;
  if ('refusal' in answer) return world.fail('connections', `Agreeing was refused: ${answer.refusal}.`);
  const code = new URL(answer.value).searchParams.get('code') ?? '';
  return { owner: actor, rails, code, verifier };
}

const exchangeOf =
  ({ code, verifier }: Agreed) =>
  ({ doors }: Services): Promise<Pair> =>
    doors.connections.exchangeCode({ ...askingIn(doors), code, redirectUri: REDIRECT, verifier });

function refuse(world: World, answer: Answer<Pair>, sentence: string): void {
  if (answer !== 'no answer' && 'value' in answer) world.fail('connections', sentence);
}

/** Undefined if there was no pair: the process died, and the code that was spent then ended what it had begun. */
async function exchangeUntilAnswered(world: World, agreed: Agreed, random: Random): Promise<Access | undefined> {
  const askedAt = world.now;
  const before = countConnections(world, agreed.owner);
  const first = await askInTrouble(world, random, OPERATIONS, exchangeOf(agreed));
  const made = countConnections(world, agreed.owner) - before;
  if (made > 1) world.fail('connections', 'One code made several connections.');
  if (first !== 'no answer') return learnPair(world, agreed, first);
  await waitForService(world);
  if (world.process.isDead || Math.abs(world.now - askedAt) > CODE_MS - CLOSE_MS) return undefined;
  const second = await world.call(exchangeOf(agreed));
  if (made === 0) return second === 'no answer' ? undefined : learnPair(world, agreed, second);
  refuse(world, second, 'A code was exchanged twice.');
  if (second !== 'no answer' && countConnections(world, agreed.owner) > before)
    world.fail('connections', 'A code that was used twice did not end its connection.');
  return undefined;
}

const countConnections = (world: World, { id }: Person): number =>
  world.query('select id from access_tokens where user_id = ? and client_id is not null', id).length;

async function exchangeTwice(world: World, agreed: Agreed): Promise<void> {
  const answers = await Promise.all([world.call(exchangeOf(agreed)), world.call(exchangeOf(agreed))]);
  const pairs = answers.filter((answer) => answer !== 'no answer' && 'value' in answer);
  if (pairs.length > 1) world.fail('connections', 'Two parties exchanged one code.');
  if (answers.includes('no answer')) return;
  const [pair] = pairs;
  if (!pair) return world.fail('connections', 'Of two parties, nobody could exchange the code.');
  const access = await learnPair(world, agreed, pair, true);
  if (access) await tryAccess(world, access);
}

async function learnPair(
  world: World,
  { owner, rails }: Agreed,
  answer: Exclude<Answer<Pair>, 'no answer'>,
  isEnded = false,
): Promise<Access | undefined> {
  if ('refusal' in answer) return world.fail('connections', `A right code was refused: ${answer.refusal}.`);
  const { accessToken: secret } = answer.value;
  await waitForService(world);
  const caller = isEnded ? undefined : await callerOfSecret(world, secret);
  if (caller === 'no answer') return undefined;
  const id = caller?.kind === 'token' ? caller.tokenId : `ended ${secret}`;
  if (!caller && !isEnded) world.fail('connections', 'A connection that was answered opens nothing.');
  return addPair(world, answer.value, { owner: owner.id, id, rails, isEnded });
}

interface Held {
  readonly owner: string;
  readonly id: string;
  readonly rails: Rails;
  readonly isEnded: boolean;
}

function addPair(world: World, { accessToken, refreshToken }: Pair, { owner, id, rails, isEnded }: Held): Access {
  const access: Access = {
    kind: 'connection',
    owner,
    id,
    secret: accessToken,
    scopes: rails.scopes,
    maxStage: rails.max_stage,
    maxOpenTasks: rails.max_open_tasks,
    endsAt: Math.min(world.now + ACCESS_MS, endOf(rails)),
    isEnded,
  };
  const endsAt = Math.min(world.now + REFRESH_MS, endOf(rails));
  world.doors.access.push(access);
  world.doors.refreshes.push({ secret: refreshToken, access, rails, endsAt, usedAt: null, times: 0 });
  return access;
}

/** Who uses a spent secret stole it, or it was stolen from them: the connection ends. */
async function followReuse(world: World, access: Access, answer: Answer<Pair>): Promise<void> {
  if (answer === 'no answer') return;
  world.doors.end(access.id);
  await tryAccess(world, access);
}

/** An assistant gets its next access, with the newest refresh token or an old one. */
const refresh: StepKind = {
  weight: 0,
  async run(world, _actor, random) {
    const held = world.doors.refreshes.filter(
      ({ endsAt }) => Math.abs(endsAt - world.now) > CLOSE_MS && !world.clocks.isShownTwice(endsAt),
    );
    if (held.length === 0) return;
    const alive = held.filter(({ access }) => !access.isEnded);
    const picked = random.pick(alive.length > 0 && random.chance(0.8) ? alive : held);
    const times = random.pick([1, 1, 2]);
    for (let count = 0; count < times; count += 1)
      await exchangeRefresh(world, picked, count === 0 ? random : undefined);
  },
};

async function exchangeRefresh(world: World, picked: Refresh, random: Random | undefined): Promise<void> {
  const { secret, access, rails, endsAt } = picked;
  const owner = world.person(access.owner);
  world.tell(`an assistant of ${owner.name} refreshes`);
  const isOpen = !access.isEnded && !owner.isGone && owner.settings.isSuspended !== true && world.now < endsAt;
  const now = world.now;
  const isClose = picked.usedAt !== null && Math.abs(now - picked.usedAt - GRACE_MS) < CLOSE_MS;
  if (isClose || picked.times > 5) return;
  const isReused = picked.usedAt !== null && now - picked.usedAt > GRACE_MS;
  const answer = await askInTrouble(world, random, OPERATIONS, ({ doors }) =>
    doors.connections.refresh({ ...askingIn(doors), refreshToken: secret }),
  );
  await waitForService(world);
  if (answer === 'no answer') return adoptRefresh(world, picked);
  if (!isOpen || isReused) {
    refuse(
      world,
      answer,
      isOpen ? 'A spent refresh token was exchanged.' : 'A connection that has ended was refreshed.',
    );
    if (isOpen) await followReuse(world, access, answer);
    return;
  }
  if ('refusal' in answer) return world.fail('connections', `A refresh was refused: ${answer.refusal}.`);
  picked.usedAt ??= now;
  picked.times += 1;
  const next = addPair(world, answer.value, { owner: access.owner, id: access.id, rails, isEnded: false });
  await tryAccess(world, next);
  await tryAccess(world, access);
}

/** Without an answer, the refresh token may be spent, and a connection whose secret was stolen may have ended. */
function adoptRefresh(world: World, picked: Refresh): void {
  const { id, isEnded } = picked.access;
  if (isEnded || world.person(picked.access.owner).isGone) return;
  if (world.query('select id from access_tokens where id = ?', id).length === 0) {
    const isReused = picked.usedAt !== null && world.now - picked.usedAt > GRACE_MS;
    if (!isReused) world.fail('connections', 'A connection ended because the process died.');
    world.doors.end(id);
    return;
  }
  const hash = createHash('sha256').update(picked.secret).digest('base64url');
  const [row] = world.query('select used_at, successors from connection_secrets where secret_hash = ?', hash);
  if (!row || row.used_at === null) return;
  picked.usedAt = Number(row.used_at);
  picked.times = Number(row.successors);
}

/** The assistant ends its connection. */
const disconnect: StepKind = {
  weight: 0,
  async run(world, _actor, random) {
    const held = world.doors.refreshes.filter(({ access }) => !access.isEnded);
    if (held.length === 0) return;
    const { secret, access, endsAt } = random.pick(held);
    world.tell(`an assistant of ${world.person(access.owner).name} disconnects`);
    const answer = await askInTrouble(world, random, OPERATIONS, ({ doors }) =>
      doors.connections.revoke({ ...askingIn(doors), token: secret }),
    );
    if (answer !== 'no answer' && 'refusal' in answer) world.fail('connections', `It was refused: ${answer.refusal}.`);
    const isThere = world.query('select id from access_tokens where id = ?', access.id).length > 0;
    // A token that has expired may be unknown by now, and revokes nothing.
    const isKnown = world.now < endsAt && !world.clocks.isShownTwice(endsAt);
    if (!isThere || (answer !== 'no answer' && isKnown)) world.doors.end(access.id);
    await waitForService(world);
    await tryAccess(world, access);
  },
};

export const steps = { connect, refresh, disconnect };
