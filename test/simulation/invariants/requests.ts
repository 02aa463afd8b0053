import type { Invariant, Told } from '../invariant.ts';
import { isHeldAt } from '../model/ladder.ts';
import type { ModelTask } from '../model/task.ts';
import { DAY_MS, wallAt } from '../model/zone.ts';
import type { World } from '../world.ts';

const MOST_A_DAY = 10;
const MOST_MESSAGES = 4;

/**
 * Who is asked hears of it, and who asked hears of the answer: never on a phone, never in a hold, never once it is
 * settled, at most one message about a request a day and four in all, and at most ten a day for a person.
 */
export const invariant: Invariant = {
  name: 'requests',
  told: (world, told, task) => {
    const about = `the message “${told.kind}” about “${told.title}”`;
    if (told.platform === 'ios' || told.platform === 'android') return `A phone got ${about}.`;
    const recipient = told.recipient === undefined ? undefined : world.people.get(told.recipient);
    if (!recipient) return undefined;
    const isChanging = [recipient.changedMs, world.clocks.jumpedMs, world.endedMs.get(told.taskId)].includes(told.ms);
    if (isChanging || world.corrections.unsettled.has(told.taskId)) return undefined;
    if (!recipient.hearsRequests && recipient.switchedMs < told.ms)
      return `${about} was sent although it is switched off.`;
    if (isHeldAt(told.now, false, recipient.settings)) return `${about} was sent in quiet hours or a pause.`;
    if (!task) return undefined;
    // Whether a message about stand-ins is true is in their own file.
    return told.kind.startsWith('stand_in') ? undefined : findFalse(told, task, recipient.id);
  },
  end: (world) => findExcess(world) ?? findForgotten(world),
};

function findFalse({ kind, title }: Told, task: ModelTask, recipientId: string): string | undefined {
  if ((kind === 'asked' ? task.owner : task.assigner) !== recipientId) return `“${title}” was told to somebody else.`;
  const isQuestion = kind === 'asked' || kind === 'unanswered';
  return isQuestion && !(task.isOpen && !task.isAccepted) ? `“${title}” was told although it is settled.` : undefined;
}

type Row = Readonly<Record<'id' | 'task_id' | 'recipient_id' | 'kind', string>> & {
  readonly sent_at: number | null;
  readonly due_at: number | null;
};

const rowsOf = (world: World): Row[] =>
  world.query('select id, task_id, recipient_id, kind, sent_at, due_at from request_messages') as unknown as Row[];

/** A day that a clock shows twice, or that a person spends in two zones, is not a day of one length. */
function findExcess(world: World): string | undefined {
  const sent = rowsOf(world).filter(({ sent_at }) => sent_at !== null);
  for (const [key, own] of Map.groupBy(sent, ({ task_id, recipient_id }) => `${task_id} ${recipient_id}`)) {
    const asked = own.filter(({ kind }) => kind === 'asked');
    if (asked.length > MOST_MESSAGES) return `A person was asked ${asked.length} times: ${key}.`;
  }
  if (Number.isFinite(world.clocks.jumpedMs)) return undefined;
  const dayOf = ({ recipient_id, sent_at }: Row) => {
    const zone = world.people.get(recipient_id)?.settings.zone ?? 'UTC';
    return Math.floor(wallAt(zone, sent_at ?? 0) / DAY_MS);
  };
  const stays = sent.filter(({ recipient_id }) => !world.movedPeople.has(recipient_id));
  // News of what stand-ins did have a bound of their own.
  const boundOf = ({ kind }: Row) => kind === 'stand_in_done';
  for (const own of Map.groupBy(stays, (row) => `${row.recipient_id} ${dayOf(row)} ${boundOf(row)}`).values()) {
    if (own.length > MOST_A_DAY) return `A person got ${own.length} messages about requests on one day.`;
    const asked = own.filter(({ kind }) => kind === 'asked').map(({ task_id }) => task_id);
    if (new Set(asked).size < asked.length) return 'A person was asked twice on one day.';
  }
  return undefined;
}

/** A request that waits for an answer has a next message, or its asker was told. */
function findForgotten(world: World): string | undefined {
  const rows = Map.groupBy(rowsOf(world), ({ task_id }) => task_id);
  for (const { id, title, isOpen, isAccepted, owner, assigner, space } of world.tasks.values()) {
    if (!isOpen || isAccepted || assigner === null || space === null || world.corrections.unsettled.has(id)) continue;
    const members = world.spaces.get(space);
    if (!members?.has(owner) || !members.has(assigner) || world.person(owner).isGone) continue;
    const own = rows.get(id) ?? [];
    const isWaiting = own.some(({ due_at, kind }) => due_at !== null || kind === 'unanswered');
    const isOver = own.filter(({ kind, sent_at }) => kind === 'asked' && sent_at !== null).length >= MOST_MESSAGES;
    if (!isWaiting && !isOver) return `Nobody will hear of the request “${title}” any more.`;
  }
  return undefined;
}
