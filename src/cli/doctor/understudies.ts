/**
 * Says whether anything outside of this machine tells people that the service is down. Asks no server: what the engine
 * found out when it placed messages is in the database.
 */
import { explainProblem } from '../../channels/problem-text.ts';
import { channelProviders } from '../../compose/channels.ts';
import { baseUrlOf } from '../../config.ts';
import type { Db } from '../../db/schema.ts';
import { disabledMailer } from '../../lib/mailer.ts';
import { hostOf } from '../../lib/server-of.ts';
import { ChannelHttp } from '../../push/channel-http.ts';
import type { Holds } from '../../push/gateway.ts';
import {
  countByState,
  findShortestHorizon,
  type HoldingServer,
  listHoldingServers,
} from '../../understudies/understudy-reports.store.ts';
import { NO_COUNTERS } from './channels.ts';
import { type Check, type DoctorContext, type Finding, fine, warning } from './check.ts';
import { withDatabase } from './database.ts';

const GUIDE = 'docs/outage.md says how.';
const DAY_SECONDS = 86_400;
/** With nothing planned, a message is moved once a day. */
const STALE_MS = 26 * 3_600_000;

export const understudies: Check = {
  name: 'understudies',
  settings: ['UNDERSTUDIES', 'BASE_URL', 'CHANNEL_HOSTS', 'NTFY_SERVER', 'DATABASE_URL', 'DATA_DIR'],
  run: async (context) => {
    // The check of the database says why it cannot be read. An older database has no such tables.
    const facts = await withDatabase(context, (db) => readFacts(db, context)).catch(() => undefined);
    return facts && describe(facts, context);
  },
};

interface Facts {
  readonly hasAccounts: boolean;
  /** The servers of confirmed channels that could hold messages, by their names alone. */
  readonly here: readonly string[];
  readonly elsewhere: readonly string[];
  readonly servers: readonly HoldingServer[];
  readonly states: Awaited<ReturnType<typeof countByState>>;
  readonly horizonSeconds: number | null;
}

async function readFacts(db: Db, context: DoctorContext): Promise<Facts> {
  const holds = listHolds(context);
  const channels = await db
    .selectFrom('channels')
    .select(['provider', 'server'])
    .distinct()
    .where('provider', 'in', [...holds.keys(), ''])
    .where('valid', '=', true)
    .where('verified_at', 'is not', null)
    .limit(1_000)
    .execute();
  const isElsewhere = ({ provider, server }: (typeof channels)[number]) =>
    holds.get(provider)?.isElsewhere(server) ?? false;
  const [elsewhere, here] = [channels.filter(isElsewhere), channels.filter((channel) => !isElsewhere(channel))];
  return {
    hasAccounts: (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined,
    here: here.map(nameOf),
    elsewhere: elsewhere.map(nameOf),
    servers: await listHoldingServers(db),
    states: await countByState(db),
    horizonSeconds: await findShortestHorizon(db),
  };
}

function listHolds({ config, clock }: DoctorContext): Map<string, Holds> {
  const http = new ChannelHttp(config.CHANNEL_HOSTS);
  const baseUrl = baseUrlOf(config, config.PORT);
  const parts = { config, http, mailer: disabledMailer(), baseUrl, clock, throttle: NO_COUNTERS };
  const all = channelProviders(parts).flatMap(({ kind, holds }) => (holds ? [[kind.provider, holds] as const] : []));
  http.close();
  return new Map(all);
}

const nameOf = ({ provider, server }: Pick<HoldingServer, 'provider' | 'server'>): string =>
  server === null ? provider : hostOf(server);

function describe(facts: Facts, { config, clock }: DoctorContext): Finding | undefined {
  const { hasAccounts, here, elsewhere, servers } = facts;
  if (!hasAccounts) return undefined;
  if (config.UNDERSTUDIES === 'off') return fine('off: if this service is down, nothing tells people');
  if (elsewhere.length === 0 && here.length > 0) {
    return warning(
      `only ${here.slice(0, 3).join(', ')} could hold messages, and that is this machine: it is down together with the service`,
      `Let people add ntfy on another machine, or at ntfy.sh. ${GUIDE}`,
    );
  }
  if (elsewhere.length === 0) return fine(`nobody has a channel that tells them if this service is down. ${GUIDE}`);
  const refused = servers.find(({ failing }) => failing > 0);
  if (refused && servers.every(({ people }) => people === 0)) {
    return warning(
      `${nameOf(refused)} holds no message: ${explainProblem(refused.error ?? '')}`,
      `Without it nothing tells people that this service is down. ${GUIDE}`,
    );
  }
  return describeShort(facts) ?? describeStale(facts, clock.now()) ?? describeHeld(facts, refused);
}

const countIn = ({ states }: Facts, state: string): number => states.find((one) => one.state === state)?.people ?? 0;

function describeShort(facts: Facts): Finding | undefined {
  const short = countIn(facts, 'one') + countIn(facts, 'none_left');
  if (short === 0) return undefined;
  return warning(
    `${short} of ${short + countIn(facts, 'held')} people have one message held or none, because their server takes few more today`,
    `Let people use a token of their own at ntfy.sh, or an ntfy server on another machine. ${GUIDE}`,
  );
}

const lastMovedMs = ({ servers }: Facts): number =>
  Math.max(0, ...servers.map(({ movedAt }) => movedAt?.getTime() ?? 0));

function describeStale(facts: Facts, now: Date): Finding | undefined {
  const remedy = 'See whether a process with the engine runs, and what it logs.';
  if (countIn(facts, 'held') === 0) return warning('no message is held yet', remedy);
  const movedMs = lastMovedMs(facts);
  if (facts.servers.length === 0 || now.getTime() - movedMs <= STALE_MS) return undefined;
  return warning(`no message was moved since ${new Date(movedMs).toISOString()}`, remedy);
}

function describeHeld(facts: Facts, refused: HoldingServer | undefined): Finding {
  const { servers, horizonSeconds } = facts;
  const held = servers.filter(({ people }) => people > 0);
  if (held.length === 0) return fine('nothing is held, because everybody who could have a message pauses');
  const places = held.slice(0, 5).map((server) => `${server.people} at ${nameOf(server)}`);
  const hours = Math.floor((horizonSeconds ?? 0) / 3_600);
  if (horizonSeconds !== null && horizonSeconds < DAY_SECONDS) {
    return warning(
      `a server holds messages for less than a day (${hours} h): ${places.join(', ')}`,
      'Raise message-delay-limit on that server; the default of ntfy is 3 days.',
    );
  }
  const moved = `last moved ${new Date(lastMovedMs(facts)).toISOString()}`;
  const others = refused ? `; ${refused.failing} refused by ${nameOf(refused)} (${refused.error})` : '';
  return fine(`people with messages held: ${places.join(', ')}, for up to ${hours} h, ${moved}${others}`);
}
