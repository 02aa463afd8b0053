/**
 * What happens in a span of days, in order of time. Every dated open task of the account is looked at, because a series
 * that began years ago may have an occurrence in it. Tasks are read and expanded with turns in between, and only as many
 * entries as one page has are kept.
 */
import type { Db } from '../../db/schema.ts';
import type { Caller } from '../../lib/caller.ts';
import { type Clock, stopwatch } from '../../lib/clock.ts';
import { InvalidInput } from '../../lib/errors.ts';
import { Lowest } from '../../lib/lowest.ts';
import { nextTurn } from '../../lib/next-turn.ts';
import { deriveFields } from '../plan-task.ts';
import { parseStoredRule } from '../task-input.ts';
import { findOwner, type Owner } from '../tasks.store.ts';
import { type AgendaCandidate, listAgendaTasks, listCandidates, listMissedBetween } from './agenda.store.ts';
import {
  type AgendaEntry,
  type AgendaPosition,
  type AgendaTask,
  comparePositions,
  type EntryNudge,
  laterEntries,
  nudgeOf,
  positionOf,
  presentEntry,
  type Span,
} from './agenda-entries.ts';

export interface AgendaQuery {
  /** Dates of the owner; today and six days later if left out. */
  readonly from?: string | undefined;
  readonly until?: string | undefined;
  readonly taskId?: string | undefined;
  readonly after: AgendaPosition | undefined;
  readonly limit: number;
}

export interface PlannedEntry extends AgendaEntry {
  readonly nudge: EntryNudge | null;
}

export interface Agenda {
  readonly entries: readonly PlannedEntry[];
  readonly zone: string;
  /** Where to go on. */
  readonly next: AgendaPosition | undefined;
}

const MOST_DAYS = 400;
const DEFAULT_DAYS = 7;
const CANDIDATES_PER_TURN = 200;
const TASKS_PER_TURN = 20;
const MISSED_PER_TURN = 100;
/** Series with a count are expanded from their first date, which takes up to some milliseconds each. */
const MOST_MS_PER_TURN = 4;
/** Two zones are at most 26 hours apart: the due moment of a stale task may be as far from the stored one. */
const ZONES_APART_MS = 48 * 3_600_000;
const NO_ID = '00000000-0000-0000-0000-000000000000';

export class AgendaService {
  readonly #db: Db;
  readonly #clock: Clock;

  constructor(db: Db, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /** `onRead` gets the number of rows that were read. The work ends if the caller has left. */
  async list(
    { userId }: Caller,
    query: AgendaQuery,
    onRead: (rows: number) => void,
    callerLeft: AbortSignal,
  ): Promise<Agenda> {
    const owner = await findOwner(this.#db, userId);
    const zone = owner?.timezone ?? 'UTC';
    const now = this.#clock.now();
    const span = spanOf(query, zone, now);
    if (!owner) return { entries: [], zone, next: undefined };
    const page = new Page(query, owner, now, span);
    for await (const ids of this.#candidateIds(owner, query.taskId, span, onRead)) {
      callerLeft.throwIfAborted();
      for (const task of await listAgendaTasks(this.#db, userId, ids)) await page.addTask(task);
    }
    await this.#addMissed(owner, query.taskId, span, page, onRead);
    return { ...(await page.finish()), zone };
  }

  /** In groups, with a turn between them. */
  async *#candidateIds(owner: Owner, taskId: string | undefined, span: Span, onRead: (rows: number) => void) {
    if (taskId !== undefined) {
      yield [taskId];
      return;
    }
    for (let last = { list_key: Number.MIN_SAFE_INTEGER, id: NO_ID }; ; await nextTurn()) {
      const part = await listCandidates(this.#db, owner.id, last.list_key, last.id, CANDIDATES_PER_TURN);
      const ids = part.filter((one) => mayBeIn(one, owner, span)).map(({ id }) => id);
      // A row that is only looked at in the index costs a fraction of one that is read.
      onRead(ids.length + part.length / 10);
      for (let start = 0; start < ids.length; start += TASKS_PER_TURN) {
        await nextTurn();
        yield ids.slice(start, start + TASKS_PER_TURN);
      }
      const end = part.at(-1);
      if (!end || part.length < CANDIDATES_PER_TURN) return;
      last = end;
    }
  }

  async #addMissed(owner: Owner, taskId: string | undefined, span: Span, page: Page, onRead: (rows: number) => void) {
    for (let last: Awaited<ReturnType<typeof listMissedBetween>>[number] | undefined; ; await nextTurn()) {
      const part = await listMissedBetween(this.#db, owner.id, span, last, MISSED_PER_TURN);
      onRead(part.length);
      for (const outcome of part) {
        const { id, task_id, title, missed, missed_from, missed_to } = outcome;
        if (missed === null || missed_from === null || (taskId !== undefined && task_id !== taskId)) continue;
        const at = missed_from < span.start ? span.start : missed_from;
        page.add({
          at,
          id,
          taskId: task_id,
          title,
          date: localDate(at, owner.timezone),
          hasTime: true,
          kind: 'occurrence',
          status: 'missed',
          dueAt: missed_from,
          missed,
          missedTo: missed_to,
          hasMore: false,
        });
      }
      last = part.at(-1);
      if (part.length < MISSED_PER_TURN) return;
    }
  }
}

/** The lowest entries after the cursor. */
class Page {
  readonly #query: AgendaQuery;
  readonly #owner: Owner;
  readonly #now: Date;
  readonly #span: Span;
  readonly #kept: Lowest<AgendaEntry>;
  readonly #from: Temporal.PlainDate;
  #turnMs = stopwatch();

  constructor(query: AgendaQuery, owner: Owner, now: Date, span: Span) {
    this.#query = query;
    this.#owner = owner;
    this.#now = now;
    this.#span = span;
    this.#kept = new Lowest(query.limit + 1, (one, other) => comparePositions(positionOf(one), positionOf(other)));
    const after = query.after && localDate(new Date(query.after[0]), owner.timezone);
    this.#from = after && Temporal.PlainDate.compare(after, span.from) > 0 ? after.subtract({ days: 1 }) : span.from;
  }

  async addTask(stored: AgendaTask & { readonly plan_version: number }): Promise<void> {
    const isStale = stored.plan_version !== this.#owner.plan_version;
    const task = isStale ? { ...stored, ...deriveFields(stored, this.#owner, this.#now) } : stored;
    const present = presentEntry(task, this.#owner, this.#now, this.#span);
    if (present) this.add(present);
    const rule = parseStoredRule(task.recurrence);
    if (!rule) return;
    for (const entry of laterEntries(task, rule, this.#owner, this.#now, this.#span, this.#from)) {
      if (entry.at >= this.#span.start && !this.add(entry)) break;
      if (this.#turnMs() > MOST_MS_PER_TURN) await this.#takeTurn();
    }
    if (this.#turnMs() > MOST_MS_PER_TURN) await this.#takeTurn();
  }

  /** False if it is beyond the page, and so is everything later. */
  add(entry: AgendaEntry): boolean {
    const { after } = this.#query;
    if (after && comparePositions(positionOf(entry), after) <= 0) return true;
    return this.#kept.add(entry);
  }

  async finish(): Promise<Omit<Agenda, 'zone'>> {
    const { limit } = this.#query;
    const entries: PlannedEntry[] = [];
    for (const entry of this.#kept.values.slice(0, limit)) {
      entries.push({ ...entry, nudge: nudgeOf(entry, this.#owner, this.#now) });
      if (this.#turnMs() > MOST_MS_PER_TURN) await this.#takeTurn();
    }
    const last = entries.at(-1);
    return { entries, next: this.#kept.values.length > limit && last ? positionOf(last) : undefined };
  }

  async #takeTurn(): Promise<void> {
    await nextTurn();
    this.#turnMs = stopwatch();
  }
}

function mayBeIn(one: AgendaCandidate, owner: Owner, { start, end }: Span): boolean {
  const [first, last] = [start.getTime() - ZONES_APART_MS, end.getTime() + ZONES_APART_MS];
  const isIn = (at: Date | null) => at !== null && at.getTime() >= first && at.getTime() < last;
  if (one.repeats === 1 && one.due_at !== null && one.due_at.getTime() < last) return true;
  return (
    isIn(one.due_at) || isIn(one.deferred_until) || isIn(one.next_fire_at) || one.plan_version !== owner.plan_version
  );
}

function spanOf({ from, until }: AgendaQuery, zone: string, now: Date): Span {
  const first = from === undefined ? localDate(now, zone) : dateOf('from', from);
  const last = until === undefined ? first.add({ days: DEFAULT_DAYS - 1 }) : dateOf('until', until);
  const days = first.until(last).days + 1;
  if (days < 1) throw invalid('until', 'Input should not be before from');
  if (days > MOST_DAYS) throw invalid('until', `Input should be at most ${MOST_DAYS} days after from`);
  return { from: first, start: startOf(first, zone), end: startOf(last.add({ days: 1 }), zone) };
}

/** Years of four digits, and room for a day before and after them. */
const DATE = /^(?!0000|0001-01-01|9999-12-31)\d{4}-\d{2}-\d{2}$/;

function dateOf(name: string, text: string): Temporal.PlainDate {
  try {
    if (DATE.test(text)) return Temporal.PlainDate.from(text);
  } catch {
    // Such as 30 February.
  }
  throw invalid(name, 'Input should be a date that exists, such as 2026-12-01');
}

const invalid = (name: string, msg: string) => new InvalidInput({ type: 'value_error', loc: ['query', name], msg });

const startOf = (date: Temporal.PlainDate, zone: string): Date =>
  new Date(date.toZonedDateTime(zone).epochMilliseconds);

const localDate = (at: Date, zone: string): Temporal.PlainDate =>
  Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone).toPlainDate();
