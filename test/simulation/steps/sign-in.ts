/** People sign in by emailed code and sign out, and strangers guess. */

import { adoptEnds, callerOfSecret, tryAccess } from '../access.ts';
import { callerOf } from '../actions.ts';
import type { Access } from '../door-book.ts';
import type { Person } from '../person.ts';
import type { StepKind } from '../plan.ts';
import type { Random } from '../random.ts';
import { askInTrouble, waitForService } from '../trouble.ts';
import type { World } from '../world.ts';

const MINUTE_MS = 60_000;
const CODE_MS = 10 * MINUTE_MS;
const MOST_TRIES = 5;
const OPERATIONS = 14;

const HOME = '192.0.2.1';
const ELSEWHERE = ['198.51.100.7', '203.0.113.9'] as const;

const emailOf = ({ name }: Person): string => `${name.toLowerCase()}@example.org`;

/** A code as its receiver has it, with the token of the request. */
interface Code {
  readonly owner: Person;
  readonly email: string;
  readonly code: string;
  readonly token: string | undefined;
  readonly endsAt: number;
}

const signIn: StepKind = {
  // Worlds with doors have their own number of these.
  weight: 0,
  async run(world, actor, random) {
    const code = await requestCode(world, actor, random);
    if (!code) return;
    const scenario = random.pick(SCENARIOS);
    world.tell(`  ${scenario}`);
    await PLAYS[scenario](world, code, random);
  },
};

async function requestCode(world: World, owner: Person, random: Random): Promise<Code | undefined> {
  const email = emailOf(owner);
  world.tell(`${owner.name} asks for a code`);
  const { count } = world.doors.mailbox;
  const answer = await askInTrouble(world, random, OPERATIONS, ({ doors }) =>
    doors.email.requestCode(email, { address: HOME, token: undefined, userAgent: 'Firefox' }),
  );
  if (answer !== 'no answer' && 'refusal' in answer) world.fail('sign-in', `A code was refused: ${answer.refusal}.`);
  const code = world.doors.mailbox.codeFor(email, count);
  if (!code && answer !== 'no answer') world.fail('sign-in', 'A code was answered for, and not mailed.');
  await waitForService(world);
  const token = answer === 'no answer' ? undefined : answer.value.token;
  return code === undefined ? undefined : { owner, email, code, token, endsAt: world.now + CODE_MS };
}

const sessionsOf = (world: World, { id }: Person): string[] =>
  world.query('select id from sessions where user_id = ?', id).map((row) => String(row.id));

interface Try {
  readonly code?: string;
  readonly email?: string;
  readonly address?: string;
  readonly withToken?: boolean;
}

type Outcome = 'in' | 'wrong' | 'no answer';

/** One try. What it opens is known from then on, and one try opens one session at most. */
async function enter(world: World, code: Code, random: Random | undefined, changed: Try = {}): Promise<Outcome> {
  const { email = code.email, address = HOME, withToken = true } = changed;
  const requester = { address, token: withToken ? code.token : undefined, userAgent: 'Firefox' };
  const before = sessionsOf(world, code.owner);
  const answer = await askInTrouble(world, random, OPERATIONS, ({ doors }) =>
    doors.email.verify(email, changed.code ?? code.code, requester),
  );
  const news = sessionsOf(world, code.owner).filter((id) => !before.includes(id));
  if (answer === 'no answer') {
    if (news.length > 1) world.fail('sign-in', 'One code opened several sessions.');
    return news.length === 1 ? 'in' : 'no answer';
  }
  if ('refusal' in answer) {
    if (!/^(wrong_code|too_many_attempts)$/.test(answer.refusal))
      world.fail('sign-in', `A code was refused with ${answer.refusal}.`);
    if (news.length > 0) world.fail('sign-in', 'A refused code opened a session.');
    return 'wrong';
  }
  await learnSession(world, code.owner, answer.value.session_token ?? '');
  return 'in';
}

async function learnSession(world: World, owner: Person, secret: string): Promise<void> {
  await waitForService(world);
  const caller = await callerOfSecret(world, secret);
  if (caller === 'no answer') return;
  if (caller?.kind !== 'session' || caller.userId !== owner.id)
    return world.fail('sign-in', `A session that was answered opens ${caller ? 'something else' : 'nothing'}.`);
  world.doors.access.push({
    kind: 'session',
    owner: owner.id,
    id: caller.sessionId,
    secret,
    scopes: [],
    maxStage: null,
    maxOpenTasks: null,
    endsAt: Number.POSITIVE_INFINITY,
    isEnded: false,
  });
}

/** The right code, as often as it takes. A code is spent if and only if it has opened a session. */
async function enterUntilAnswered(world: World, code: Code, random: Random): Promise<void> {
  for (let attempt = 1; attempt < MOST_TRIES; attempt += 1) {
    const outcome = await enter(world, code, attempt < 3 ? random : undefined);
    await waitForService(world);
    if (outcome === 'in') return refuseAgain(world, code);
    if (outcome === 'wrong' && world.now < code.endsAt - MINUTE_MS)
      world.fail('sign-in', `The code of ${code.owner.name} is right, and was refused.`);
  }
}

async function refuseAgain(world: World, code: Code): Promise<void> {
  if ((await enter(world, code, undefined)) === 'in') world.fail('sign-in', 'A code was used twice.');
}

const otherThan = ({ code }: Code): string => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

/** Returns how many tries were answered. */
async function guess(world: World, code: Code, times: number, changed: Try): Promise<number> {
  let answered = 0;
  for (let count = 0; count < times; count += 1) {
    const outcome = await enter(world, code, undefined, { ...changed, code: otherThan(code) });
    if (outcome === 'in') world.fail('sign-in', 'A wrong code opened a session.');
    if (outcome === 'wrong') answered += 1;
  }
  return answered;
}

async function enterTwiceAtOnce(world: World, code: Code): Promise<void> {
  const before = sessionsOf(world, code.owner);
  const requester = { address: HOME, token: code.token, userAgent: 'Firefox' };
  const ask = () => world.call(({ doors }) => doors.email.verify(code.email, code.code, requester));
  const answers = await Promise.all([ask(), ask()]);
  const opened = answers.flatMap((one) => (one !== 'no answer' && 'value' in one ? [one.value.session_token] : []));
  const news = sessionsOf(world, code.owner).filter((id) => !before.includes(id));
  if (opened.length > 1 || news.length > 1) world.fail('sign-in', 'Two who used a code at once both got a session.');
  if (opened.length === 0 && !answers.includes('no answer')) world.fail('sign-in', 'Of two, nobody got a session.');
  for (const secret of opened) await learnSession(world, code.owner, secret ?? '');
}

const PLAYS = {
  'the right code': enterUntilAnswered,
  'a wrong code or two, then the right one': async (world, code, random) => {
    await guess(world, code, random.between(1, 2), {});
    await enterUntilAnswered(world, code, random);
  },
  'more wrong codes than there are tries': async (world, code) => {
    const isUsedUp = (await guess(world, code, MOST_TRIES, {})) === MOST_TRIES;
    if (isUsedUp && code.token !== undefined && (await enter(world, code, undefined)) === 'in')
      world.fail('sign-in', 'A code was taken after five wrong tries of its requester.');
  },
  'strangers guess first': async (world, code, random) => {
    for (const address of ELSEWHERE) await guess(world, code, MOST_TRIES + 1, { address, withToken: false });
    await enterUntilAnswered(world, code, random);
  },
  'the code of somebody else': async (world, code, random) => {
    const others = [...world.people.values()].filter((one) => one !== code.owner && !one.isGone);
    if (others.length === 0) return;
    const owner = random.pick(others);
    if ((await enter(world, { ...code, owner }, undefined, { email: emailOf(owner) })) === 'in')
      world.fail('sign-in', 'The code of somebody else opened a session.');
  },
  'too late': async (world, code) => {
    await world.pass(CODE_MS + 1_000);
    const isOver = world.now > code.endsAt;
    if (isOver && !code.owner.isGone && (await enter(world, code, undefined)) === 'in')
      world.fail('sign-in', 'A code was taken after ten minutes.');
  },
  'at the last moment': async (world, code, random) => {
    await world.pass(CODE_MS - 3 * MINUTE_MS);
    await enterUntilAnswered(world, code, random);
  },
  'twice at once': enterTwiceAtOnce,
} satisfies Record<string, (world: World, code: Code, random: Random) => Promise<void>>;
const SCENARIOS = Object.keys(PLAYS) as (keyof typeof PLAYS)[];

const openSessions = (world: World, owner?: Person): Access[] =>
  world.doors.access.filter(
    (one) => one.kind === 'session' && !one.isEnded && (owner === undefined || one.owner === owner.id),
  );

const signOut: StepKind = {
  weight: 0,
  async run(world, actor, random) {
    const own = openSessions(world, actor);
    if (own.length === 0) return;
    const session = random.pick(own);
    const caller = { kind: 'session', userId: actor.id, sessionId: session.id, provenAt: new Date(0) } as const;
    world.tell(`${actor.name} signs out`);
    const answer = await askInTrouble(world, random, 4, ({ doors }) => doors.sessions.signOut(caller, HOME));
    if (answer === 'no answer') adoptEnds(world, [session]);
    else session.isEnded = true;
    await waitForService(world);
    await tryAccess(world, session);
  },
};

/** Ends all other sessions, and of what outlives a session a part: all of it or nothing. */
const signOutEverywhere: StepKind = {
  weight: 0,
  async run(world, actor, random) {
    const lasting = world.doors.access.filter(
      ({ kind, owner, isEnded }) => kind !== 'session' && owner === actor.id && !isEnded,
    );
    const ids = new Set(lasting.map(({ id }) => id).filter(() => random.chance(0.5)));
    const phone = world.phones.find(({ owner, deviceId }) => owner === actor.id && deviceId !== undefined);
    const isWithPhone = phone !== undefined && random.chance(0.3);
    const ending = [...openSessions(world, actor), ...lasting.filter(({ id }) => ids.has(id))];
    world.tell(`${actor.name} signs out everywhere, ${ids.size} tokens${isWithPhone ? ' and a device' : ''} too`);
    const chosen = { sessions: true, ids: [...ids, ...(isWithPhone ? [phone.deviceId ?? ''] : [])] };
    const answer = await askInTrouble(world, random, OPERATIONS, ({ doors }) =>
      doors.signOut.end(callerOf(actor), chosen, HOME),
    );
    if (answer === 'no answer') {
      const ended = adoptEnds(world, ending);
      if (ended > 0 && ended < ending.length)
        world.fail('whole or not at all', `${actor.name} was signed out of some of it.`);
    } else if ('refusal' in answer) world.fail('sign-in', `Signing out was refused: ${answer.refusal}.`);
    else for (const access of ending) access.isEnded = true;
    if (isWithPhone) learnRemoval(world, actor, phone);
    await waitForService(world);
    for (const access of ending) await tryAccess(world, access);
  },
};

function learnRemoval(world: World, actor: Person, phone: World['phones'][number]): void {
  actor.reachChangedMs = world.elapsedMs;
  if (world.query('select id from devices where token = ?', phone.token).length > 0) return;
  phone.deviceId = undefined;
  phone.removedMs = world.elapsedMs;
}

export const steps = { signIn, signOut, signOutEverywhere };
