/**
 * Stand-ins: whom an owner asks to be told if the owner does not react. Nobody is told who has not agreed. An agreement
 * is to what was asked: an earlier rung or something wider is asked anew. Either of the two ends it with one call.
 */
import type { Static } from 'typebox';
import type { Db } from '../../db/schema.ts';
import { announce, lockUntilCommit, transact } from '../../db/transact.ts';
import type { Caller, SessionCaller } from '../../lib/caller.ts';
import type { Clock } from '../../lib/clock.ts';
import { AppError, InvalidInput } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { insertRequestMessage } from '../requests/request-messages.store.ts';
import { lockMembership } from '../space-tasks.store.ts';
import { notFound, type WakeUp } from '../task-changes.ts';
import type { Task } from '../task-state.ts';
import { findTask } from '../tasks.store.ts';
import type { StandInInput, StandInOut } from './stand-ins.schemas.ts';
import {
  countAsks,
  endStandIns,
  findOwnerOf,
  forgetReached,
  insertStandIn,
  type ListedStandIn,
  listEnding,
  listLabels,
  listStandIns,
  listStandInsOf,
  lockAccounts,
  lockStandIn,
  settleAsks,
  updateStandIn,
} from './stand-ins.store.ts';
import { chosenWithin, isCovered, isExcluded, MOST_ASKED, MOST_STAND_INS, type StandIn, stateOf } from './stand-ins.ts';

type Out = Static<typeof StandInOut>;

const noStandIn = () => new AppError('not_found', { sentence: 'There is no such stand-in.' });
const DAY_MS = 86_400_000;
/** Messages from one person that ask another one to stand in. */
const MOST_MESSAGES_A_DAY = 3;
const ASKS_NOBODY =
  'An access token chooses among the people who have agreed, from the nudge that they agreed to or a later one, and asks nobody.';

const invalid = (field: string, msg: string) => new InvalidInput({ type: 'value_error', loc: ['body', field], msg });

export class StandInsService {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #wakeUp: WakeUp;

  constructor(db: Db, clock: Clock, wakeUp: WakeUp) {
    this.#db = db;
    this.#clock = clock;
    this.#wakeUp = wakeUp;
  }

  /** Those of your own tasks, and those that you were asked to be. */
  async list({ userId }: SessionCaller): Promise<Out[]> {
    return (await listStandIns(this.#db, userId)).map((row) => toOut(row, userId));
  }

  /** Asking again for the same changes the rung. */
  async ask(caller: Caller, input: StandInInput): Promise<Out> {
    const id = await transact(this.#db, (trx) => this.#askIn(trx, caller, input));
    this.#wakeUp();
    const stored = (await listStandIns(this.#db, caller.userId)).find((row) => row.id === id);
    if (!stored) throw noStandIn();
    return toOut(stored, caller.userId);
  }

  async #askIn(trx: Db, caller: Caller, input: StandInInput): Promise<string> {
    const { userId: ownerId } = caller;
    const wanted = readWanted(ownerId, input);
    const { person_id, task_id, from_rung } = wanted;
    // One owner's stand-ins change one after the other.
    await lockUntilCommit(trx, `stand-ins of ${ownerId}`);
    await lockAccounts(trx, [ownerId, person_id]);
    await lockBoth(trx, input.space_id, [ownerId, person_id]);
    const task = task_id === null ? null : await findOwn(trx, ownerId, task_id);
    const all = await listStandInsOf(trx, ownerId);
    const known = all.find((one) => isSameScope(one, wanted));
    const isAgreed = hasAgreed(known, wanted) || isAgreedBefore(all, wanted, task);
    if (caller.kind === 'token' && !isAgreed && from_rung !== null)
      throw new AppError('not_allowed', { sentence: ASKS_NOBODY });
    if (!known) checkRoom(all);
    const standIn = await this.#store(trx, { ...wanted, owner_id: ownerId }, known, isAgreed);
    announce(trx, [ownerId, person_id]);
    return standIn;
  }

  async #store(
    trx: Db,
    wanted: Wanted & Pick<StandIn, 'owner_id'>,
    known: StandIn | undefined,
    isAgreed: boolean,
  ): Promise<string> {
    const { from_rung, task_id, person_id, space_id } = wanted;
    const now = this.#clock.now();
    const agreed_at = isAgreed ? (known?.agreed_at ?? now) : null;
    const id = known?.id ?? newId();
    if (known) await updateStandIn(trx, id, { from_rung, agreed_at, space_id });
    else await insertStandIn(trx, { id, ...wanted, agreed_at, passes_quiet_hours: false, asked_at: now });
    if (from_rung === null && task_id !== null) await forgetReached(trx, task_id, person_id);
    // A button agrees to what its message asked: another question is another message.
    const isOther = known !== undefined && known.from_rung !== from_rung;
    if (isAgreed || from_rung === null || isOther) await settleAsks(trx, [id], now);
    if (!isAgreed && from_rung !== null) await this.#tell(trx, { id, ...wanted }, 'stand_in_asked', person_id);
    return id;
  }

  /** Only the person asked agrees. Agreeing again changes what they agreed to. */
  async agree({ userId }: Pick<SessionCaller, 'userId'>, id: string, passesQuietHours: boolean): Promise<Out> {
    await transact(this.#db, async (trx) => {
      const standIn = await lockStandIn(trx, id, userId);
      if (!standIn || isExcluded(standIn)) throw noStandIn();
      if (standIn.person_id !== userId) throw new AppError('not_allowed');
      const now = this.#clock.now();
      const isNew = standIn.agreed_at === null;
      await updateStandIn(trx, id, { passes_quiet_hours: passesQuietHours, agreed_at: standIn.agreed_at ?? now });
      await settleAsks(trx, [id], now);
      if (isNew) await this.#tell(trx, standIn, 'stand_in_agreed', standIn.owner_id);
      announce(trx, [standIn.owner_id, standIn.person_id]);
    });
    this.#wakeUp();
    const stored = (await listStandIns(this.#db, userId)).find((row) => row.id === id);
    if (!stored) throw noStandIn();
    return toOut(stored, userId);
  }

  /** Declines, stops, or takes the question back. */
  async end({ userId }: Pick<SessionCaller, 'userId'>, id: string): Promise<void> {
    await transact(this.#db, async (trx) => {
      const ownerId = await findOwnerOf(trx, id);
      if (ownerId !== undefined) await lockUntilCommit(trx, `stand-ins of ${ownerId}`);
      const standIn = await lockStandIn(trx, id, userId);
      // The person left out of a task does not know of it.
      if (!standIn || (isExcluded(standIn) && standIn.owner_id !== userId)) throw noStandIn();
      const all = await listStandInsOf(trx, standIn.owner_id);
      await this.#endAll(trx, [standIn, ...chosenWithin(standIn, all, await listLabels(trx, all))]);
    });
    this.#wakeUp();
  }

  /** Inside the transaction in which a person leaves a space, is suspended or deleted. */
  async endOf(trx: Db, userId: string, spaceId?: string): Promise<void> {
    await this.#endAll(trx, await listEnding(trx, userId, spaceId));
  }

  async #endAll(trx: Db, standIns: readonly StandIn[]): Promise<void> {
    const ids = standIns.map(({ id }) => id);
    await endStandIns(trx, ids, this.#clock.now());
    announce(
      trx,
      standIns.flatMap(({ owner_id, person_id }) => [owner_id, person_id]),
    );
  }

  async #tell(
    trx: Db,
    { id, owner_id, person_id }: Pick<StandIn, 'id' | 'owner_id' | 'person_id'>,
    kind: 'stand_in_asked' | 'stand_in_agreed',
    recipient_id: string,
  ): Promise<void> {
    const now = this.#clock.now();
    const other_id = recipient_id === owner_id ? person_id : owner_id;
    // Who asks, takes it back and asks again sends no more messages: the question stands in the app.
    const dayAgo = new Date(now.getTime() - DAY_MS);
    const isAsk = kind === 'stand_in_asked';
    if (isAsk && (await countAsks(trx, { id, recipient_id, other_id }, dayAgo)) >= MOST_MESSAGES_A_DAY) return;
    const message = { task_id: null, stand_in_id: id, recipient_id, other_id, kind, repeat: 0 };
    await insertRequestMessage(trx, { id: newId(), ...message, due_at: now, created_at: now });
  }
}

type Wanted = Pick<StandIn, 'person_id' | 'space_id' | 'task_id' | 'label' | 'from_rung'>;

function readWanted(ownerId: string, input: StandInInput): Wanted {
  const { person_id, space_id, from_rung } = input;
  const task_id = input.task_id ?? null;
  const label = input.label ?? null;
  if (task_id !== null && label !== null) throw invalid('label', 'Input should name a task or a label, not both');
  if (person_id === ownerId) throw invalid('person_id', 'Input should be somebody else');
  if (from_rung === null && task_id === null) throw invalid('from_rung', 'Input should be a number, except for a task');
  return { person_id, space_id, task_id, label, from_rung };
}

/** Keeps both from leaving the space until the transaction ends. */
async function lockBoth(trx: Db, spaceId: string, ids: readonly string[]): Promise<void> {
  for (const id of ids.toSorted())
    if (!(await lockMembership(trx, spaceId, id)))
      throw new AppError('not_found', { sentence: 'There is no such space, or the person is not in it.' });
}

async function findOwn(trx: Db, ownerId: string, taskId: string): Promise<Task> {
  const task = await findTask(trx, taskId);
  if (task?.owner_id !== ownerId) throw notFound();
  return task;
}

const isSameScope = (
  one: StandIn,
  { person_id, task_id, label }: Pick<Wanted, 'person_id' | 'task_id' | 'label'>,
): boolean => one.person_id === person_id && one.task_id === task_id && one.label === label;

/** The same as before, or later. In another space it would outlive the one that it was agreed to in. */
const hasAgreed = (known: StandIn | undefined, { from_rung, space_id }: Wanted): boolean =>
  known?.agreed_at != null &&
  known.from_rung !== null &&
  known.space_id === space_id &&
  from_rung !== null &&
  from_rung >= known.from_rung;

const isAgreedBefore = (all: readonly StandIn[], wanted: Wanted, task: Task | null): boolean =>
  wanted.from_rung !== null && isCovered({ ...wanted, from_rung: wanted.from_rung }, task, all);

function checkRoom(all: readonly StandIn[]): void {
  const asked = all.filter((one) => one.agreed_at === null && !isExcluded(one));
  if (all.length >= MOST_STAND_INS || asked.length >= MOST_ASKED) throw new AppError('too_many_stand_ins');
}

function toOut(row: ListedStandIn, viewerId: string): Out {
  const isOwner = row.owner_id === viewerId;
  const isReadable = isOwner || (row.task_accepted === true && row.task_space_id === row.space_id);
  return {
    id: row.id,
    role: isOwner ? 'owner' : 'stand_in',
    owner: { id: row.owner_id, display_name: row.owner_name },
    person: { id: row.person_id, display_name: row.person_name },
    space_id: row.space_id,
    space_name: row.space_name,
    task_id: row.task_id,
    task_title: isReadable ? row.task_title : null,
    label: row.label,
    from_rung: row.from_rung,
    passes_quiet_hours: row.passes_quiet_hours,
    state: stateOf(row),
    asked_at: row.asked_at,
    agreed_at: row.agreed_at,
  };
}
