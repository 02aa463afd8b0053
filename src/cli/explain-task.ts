/** `crescendo explain`: why a task is not nudged now, and what became of its last nudge. */
import type { Db } from '../db/schema.ts';
import { type Answer, whyNoDelivery, whyNoNudge, whyNotSent } from '../deliveries/why-not-now.ts';
import { isUuid } from '../lib/ids.ts';
import { isInPrivateNetwork } from '../outbound/public-lookup.ts';
import { ChannelHttp } from '../push/channel-http.ts';
import { isDeviceProvider } from '../push/gateway.ts';
import { toNudgeTask } from '../tasks/plan-task.ts';
import { findOwner, findTask } from '../tasks/tasks.store.ts';
import { withDatabase } from './account-admin.ts';
import { type Call, type Command, CommandError } from './command.ts';
import { findProvider } from './doctor/channels.ts';

export const explainTask: Command = {
  parameters: ['TASK_ID'],
  summary: 'Say why a task is not nudged now, and what became of its last nudge',
  explanation:
    'Names the mechanism that holds the next nudge, and for each device and channel what the last one waits for.\n' +
    'docs/troubleshooting.md lists the mechanisms. Shows no text that a person wrote. Works while the service runs.',
  async run(call) {
    const [id = ''] = call.positionals;
    return withDatabase(call, async (db) => {
      const task = isUuid(id) ? await findTask(db, id) : undefined;
      const owner = task && (await findOwner(db, task.owner_id));
      if (!task || !owner) throw new CommandError(`There is no task ${id}.`);
      const next = whyNoNudge(toNudgeTask(task, owner), owner, call.clock.now());
      const { last, deliveries } = await explainLast(call, db, id);
      const data = { task_id: id, owner_id: task.owner_id, next, last, deliveries };
      return { data, text: [`next nudge  ${inWords(next)}`, ...lastInWords(last, deliveries)].join('\n') };
    });
  },
};

const inWords = ({ mechanism, says }: Answer): string => `${mechanism}: ${says}`;

type Last = Awaited<ReturnType<typeof explainLast>>;

function lastInWords(last: Last['last'], deliveries: Last['deliveries']): string[] {
  if (!last) return ['last nudge  none so far'];
  const { at, stage, run, nudge } = last;
  // Entries from before runs had numbers have none.
  const numbers = nudge === null ? '' : `, number ${nudge}, run ${run}`;
  const head = `last nudge  at ${at.toISOString()}, stage ${stage}${numbers}`;
  return [head, ...deliveries.map(({ target, why }) => `  ${target.padEnd(16)}${inWords(why)}`)];
}

async function explainLast(call: Call, db: Db, taskId: string) {
  const last = await db
    .selectFrom('timeline')
    .select(['id', 'at', 'stage', 'run', 'nudge', 'devices', 'unreached'])
    .where('task_id', '=', taskId)
    .where('kind', '=', 'nudge')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!last) return { last: null, deliveries: [] };
  const rows = await db
    .selectFrom('deliveries')
    .select(['entry_id', 'target_id', 'kind', 'provider', 'tier', 'status', 'waits_for', 'reason', 'attempts'])
    .select(['next_attempt_at', 'sent_at'])
    .where('task_id', '=', taskId)
    .where((eb) => eb.or([eb('entry_id', '=', last.id), eb('status', '=', 'pending')]))
    .orderBy('tier')
    .orderBy('provider')
    .execute();
  const http = new ChannelHttp(call.config().CHANNEL_HOSTS);
  const context = { config: call.config(), clock: call.clock };
  const isConfigured = (provider: string) =>
    isDeviceProvider(provider) || findProvider(context, http, provider) !== undefined;
  const isHidden = await findHiddenServers(
    db,
    rows.filter(({ reason }) => reason === 'enotfound').map(({ target_id }) => target_id),
  );
  const deliveries = rows.map((row) => {
    const { mechanism, says } = whyNotSent(row, isConfigured(row.provider), call.clock.now());
    return {
      target: row.kind === 'nudge' ? row.provider : `${row.provider} (${row.kind.replace('_', ' ')})`,
      why: { mechanism, says: isHidden.has(row.target_id) ? `${says} ${HIDDEN}` : says },
    };
  });
  http.close();
  const { id: _, devices, unreached, ...entry } = last;
  if (rows.some(({ entry_id }) => entry_id === last.id)) return { last: entry, deliveries };
  return { last: entry, deliveries: [{ target: '', why: whyNoDelivery(devices, unreached) }, ...deliveries] };
}

/** People are only told that there is no such server: see `outbound/public-lookup.ts`. */
const HIDDEN =
  'The server is in a private network: list its host and port in CHANNEL_HOSTS if it may be called. The log names it.';

/** The channels with a server that is not called because its name leads into a private network. */
async function findHiddenServers(db: Db, channelIds: readonly string[]): Promise<ReadonlySet<string>> {
  if (channelIds.length === 0) return new Set();
  const channels = await db.selectFrom('channels').select(['id', 'server']).where('id', 'in', channelIds).execute();
  const hidden = new Set<string>();
  for (const { id, server } of channels) if (server && (await isInPrivateNetwork(server))) hidden.add(id);
  return hidden;
}
