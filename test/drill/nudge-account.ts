/** Compares the nudges that were owed with what arrived. */
import type { Evidence } from './accounting.ts';
import type { Arrival, PersonEntry, Run, TaskEntry } from './book.ts';
import { concerns, reasonOf, waitedMs } from './repetition.ts';

/** The clocks of this process and of the service are one, but arrivals are noticed some time after they come. */
const EARLY_MS = 300;
/** A push that is on its way when Done is answered still arrives. */
const UNDER_WAY_MS = 3_000;
/** Two due nudges of a run are further apart; what comes sooner is a repetition. */
const SHORTEST_GAP_MS = 300_000;

interface NudgeAccount {
  due: number;
  afterFault: number;
  afterWait: number;
  retractionsDue: number;
  readonly neverSent: string[];
  readonly twice: string[];
  readonly early: string[];
  readonly afterEnd: string[];
  readonly notTakenBack: string[];
}

export function settleNudges(evidence: Evidence): NudgeAccount {
  const account: NudgeAccount = {
    due: 0,
    afterFault: 0,
    afterWait: 0,
    retractionsDue: 0,
    neverSent: [],
    twice: [],
    early: [],
    afterEnd: [],
    notTakenBack: [],
  };
  const byTask = Map.groupBy(evidence.arrivals, ({ taskId }) => taskId);
  for (const task of evidence.book.tasks.values()) {
    const owner = evidence.book.people.get(task.owner);
    if (owner) settleTask(task, owner, byTask.get(task.id) ?? [], evidence, account);
  }
  return account;
}

function settleTask(
  task: TaskEntry,
  { targets }: PersonEntry,
  arrivals: readonly Arrival[],
  evidence: Evidence,
  account: NudgeAccount,
): void {
  const nudges = arrivals.filter(({ kind }) => kind === 'nudge');
  const byRun = Map.groupBy(nudges, (nudge) => runOf(task, nudge, evidence));
  for (const nudge of byRun.get(undefined) ?? []) account.early.push(`early: ${describe(task, nudge)}`);
  for (const run of task.runs) {
    const ofRun = byRun.get(run) ?? [];
    if (isOwed(run, evidence)) {
      const reached = new Set(ofRun.map(({ target }) => target));
      const missed = targets.filter((target) => !reached.has(target));
      account.due += targets.length;
      account.neverSent.push(
        ...missed.map((target) => `never sent: ${task.title}, due ${timeOf(run.dueAt)}, to ${target}`),
      );
    }
    for (const toTarget of Map.groupBy(ofRun, ({ target }) => target).values())
      settleRepetitions(task, toTarget, evidence, account);
    account.afterEnd.push(
      ...ofRun.filter((nudge) => isAfterEnd(run, nudge, evidence)).map((nudge) => afterEndOf(task, run, nudge)),
    );
  }
  settleRetractions(task, arrivals, evidence, account);
}

/** Whoever dealt with a task without waiting for its nudge may have been quicker. */
const isOwed = ({ dueAt, end }: Run, { now }: Evidence) =>
  dueAt + EARLY_MS < now && (end === undefined || end.isAwaited);

/** The latest run that was due by then. */
function runOf(task: TaskEntry, { at }: Arrival, { clockErrorMs }: Evidence): Run | undefined {
  return task.runs.findLast(({ dueAt }) => dueAt <= at + EARLY_MS + clockErrorMs);
}

function isAfterEnd({ end }: Run, nudge: Arrival, evidence: Evidence): boolean {
  if (!end) return false;
  // A process that was stopped while it sent goes on where it was.
  const stop = evidence.interruptions.find(
    (one) => one.name === 'stop' && concerns(one, nudge) && one.from < end.answeredAt,
  );
  const latest = Math.max(end.answeredAt, stop?.until ?? 0) + UNDER_WAY_MS;
  if (nudge.at <= latest) return false;
  // On a busy machine it is on its way for longer, by the time that its sender or the provider got no CPU.
  const span = [end.answeredAt - UNDER_WAY_MS, nudge.at] as const;
  return nudge.at > latest + waitedMs([nudge.sender], span, evidence);
}

const afterEndOf = (task: TaskEntry, run: Run, nudge: Arrival) =>
  `after the end: ${describe(task, nudge)}, dealt with at ${timeOf(run.end?.answeredAt ?? 0)}`;

function settleRepetitions(
  task: TaskEntry,
  nudges: readonly Arrival[],
  evidence: Evidence,
  account: NudgeAccount,
): void {
  for (const [index, nudge] of nudges.entries()) {
    const before = nudges[index - 1];
    if (!before || nudge.at - before.at >= SHORTEST_GAP_MS) continue;
    const isOtherNudge = nudge.nudgeId !== before.nudgeId;
    const reason = isOtherNudge ? undefined : reasonOf(before, nudge, evidence);
    if (reason === 'fault') account.afterFault += 1;
    else if (reason === 'wait') account.afterWait += 1;
    else
      account.twice.push(
        `sent twice: ${describe(task, nudge)}, before at ${timeOf(before.at)} by process ${before.sender ?? 'unknown'}${other(isOtherNudge)}`,
      );
  }
}

const other = (isOtherNudge: boolean) => (isOtherNudge ? ', as another nudge' : '');

/** The newest message of a task is taken back once its run is over. Where messages can be taken back, they have an id. */
function settleRetractions(
  task: TaskEntry,
  arrivals: readonly Arrival[],
  evidence: Evidence,
  account: NudgeAccount,
): void {
  const retracted = new Set(arrivals.flatMap(({ refs }) => refs ?? []));
  const shown = arrivals.filter(({ kind, nudgeId }) => kind === 'nudge' && nudgeId !== undefined);
  const newest = new Map(shown.map((nudge) => [nudge.target, nudge]));
  for (const nudge of newest.values()) {
    if (runOf(task, nudge, evidence)?.end === undefined) continue;
    account.retractionsDue += 1;
    if (!retracted.has(nudge.nudgeId ?? '')) account.notTakenBack.push(`not taken back: ${describe(task, nudge)}`);
  }
}

const describe = ({ title }: TaskEntry, { target, at, nudgeId, sender }: Arrival) =>
  `${title} to ${target} at ${timeOf(at)}${nudgeId === undefined ? '' : ` (${nudgeId})`} by process ${sender ?? 'unknown'}`;

const timeOf = (ms: number) => new Date(ms).toISOString().slice(11, 23);
