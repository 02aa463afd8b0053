/** Draws conclusions from the figures of the installation. Pure. */
import type { Health } from '../api/client.ts';
import { screenStrings } from '../screen-strings.ts';
import { formatHours } from '../time/format.ts';

const { admin: words } = screenStrings;

export interface Finding {
  readonly name: string;
  readonly text: string;
  readonly tone: 'good' | 'danger' | 'soft';
}

/** The service calls itself unhealthy from here on. */
const LATE_SECONDS = 60;
/** If a delivery could have been sent so long ago, no process sends it. */
const STUCK_SECONDS = 120;
const OLD_BACKUP_MS = 8 * 86_400_000;

export function findLag({ engine }: Pick<Health, 'engine'>): Finding {
  const name = words.lag;
  if (engine.lag_seconds > LATE_SECONDS) return { name, tone: 'danger', text: words.late(waitOf(engine.lag_seconds)) };
  if (engine.processes === 0) return { name, tone: 'danger', text: words.noEngine };
  return { name, tone: 'good', text: words.onTime };
}

/** Empty if no process disturbs the others. */
export function findOlderProcesses({ older_processes }: Pick<Health, 'older_processes'>): Finding[] {
  if (older_processes === 0) return [];
  return [{ name: words.older, tone: 'danger', text: words.olderRuns(older_processes) }];
}

/** `from` and `to` are its moments in words. Empty without an outage in the last 30 days. */
export function findOutage({ last_outage }: Pick<Health, 'last_outage'>, from: string, to: string): Finding[] {
  if (last_outage === null) return [];
  const { people, nudges } = last_outage;
  return [{ name: words.outage, tone: 'soft', text: words.outageWas(from, to, people, nudges) }];
}

export function findMail({ mail }: Pick<Health, 'mail'>): Finding {
  const text = words.mails[mail] ?? mail;
  return { name: words.mail, text, tone: mail === 'off' ? 'danger' : mail === 'smtp' ? 'good' : 'soft' };
}

/** `at` is the last backup in words; null without one. */
export function findBackup(
  { last_backup_at, database }: Pick<Health, 'last_backup_at' | 'database'>,
  at: string | null,
  now: number,
): Finding {
  const name = words.backup;
  if (database.engine !== 'sqlite') return { name, tone: 'soft', text: words.backupElsewhere };
  if (last_backup_at === null || at === null) return { name, tone: 'danger', text: words.noBackup };
  const isOld = now - new Date(last_backup_at).getTime() > OLD_BACKUP_MS;
  return { name, tone: isOld ? 'danger' : 'good', text: isOld ? words.oldBackup(at) : words.backupAt(at) };
}

/** `movedAt` is when a message was last moved, in words; null without one. */
export function findIfDown({ understudies }: Pick<Health, 'understudies'>, movedAt: string | null): Finding {
  const name = words.ifDown;
  const { where, one, none_left, servers, horizon_seconds } = understudies;
  if (where === 'off') return { name, tone: 'soft', text: words.ifDownStates.off };
  const holding = servers.filter(({ people }) => people > 0);
  const refused = servers.filter(({ failing }) => failing > 0);
  const short = one + none_left;
  const text = [
    ...(holding.length > 0
      ? [words.ifDownHeld(holding.map((server) => words.ifDownPlace(server.people, server.name)).join(', '))]
      : []),
    ...(short > 0 ? [words.ifDownShort(short)] : []),
    ...refused.map(({ failing, problem }) => words.ifDownRefused(failing, problem ?? '')),
    ...(movedAt && horizon_seconds !== null ? [words.ifDownMoved(movedAt, formatHours(horizon_seconds / 3_600))] : []),
  ];
  if (text.length === 0) return { name, tone: 'soft', text: words.ifDownStates.nobody };
  return { name, tone: short > 0 || refused.length > 0 ? 'danger' : 'good', text: text.join(' ') };
}

export function findProvider({ provider, configured, due, wait_seconds }: Health['providers'][number]): Finding {
  const name = words.providers[provider] ?? provider;
  if (!configured && due === 0) return { name, tone: 'soft', text: words.notConfigured };
  if (!configured) return { name, tone: 'danger', text: words.stranded(due) };
  if (due === 0) return { name, tone: 'good', text: words.nothingWaits };
  const text = words.waits(due, waitOf(wait_seconds));
  return { name, text, tone: wait_seconds > STUCK_SECONDS ? 'danger' : 'good' };
}

const waitOf = (seconds: number): string =>
  seconds < 60 ? screenStrings.admin.seconds(Math.round(seconds)) : formatHours(seconds / 3_600);
