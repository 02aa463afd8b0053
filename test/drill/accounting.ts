/** Compares the book with what arrived and with what the service says. Pure; every sentence that it returns is a violation. */
import type { Arrival, Book, Fault, PersonEntry, Run, Status, TaskEntry } from './book.ts';

/** The clocks of this process and of the service are one, but arrivals are noticed some time after they come. */
const EARLY_MS = 300;
/** A push that is on its way when Done is answered still arrives. */
const UNDER_WAY_MS = 3_000;
/** Two due nudges of a run are further apart; what comes sooner is a repetition. */
const SHORTEST_GAP_MS = 300_000;
/** A result is stored soon after the answer. One that came this long before a fault is safe. */
const STORED_WITHIN_MS = 5_000;

/** What the service says about a person at the end. */
export interface Seen {
  readonly email: string;
  readonly listed: readonly SeenTask[];
  /** What a search for the title of each task found. */
  readonly found: ReadonlyMap<string, readonly string[]>;
  /** The tasks of a phone that synced all along. */
  readonly synced: readonly SeenTask[];
  readonly counts: { readonly open: number; readonly done: number; readonly skipped: number };
  /** The titles that an app has of open tasks by CalDAV; undefined for people without an app. */
  readonly inApp: readonly string[] | undefined;
}

export interface SeenTask {
  readonly id: string;
  readonly title: string;
  readonly status: string;
}

export interface Evidence {
  readonly book: Book;
  readonly arrivals: readonly Arrival[];
  readonly seen: readonly Seen[];
  readonly faults: readonly Fault[];
  /** By how much the machine's clock was moved, where the service has no other. */
  readonly clockErrorMs: number;
  readonly now: number;
}

export interface Account {
  readonly figures: Readonly<Record<string, number>>;
  readonly violations: readonly string[];
}

export function settle(evidence: Evidence): Account {
  const { book, seen } = evidence;
  const nudges = settleNudges(evidence);
  for (const one of seen) adoptUnanswered(book, one);
  const lost = seen.flatMap((one) => findLost(book, one));
  const doubled = seen.flatMap((one) => findDoubled(book, one));
  const unequal = seen.flatMap((one) => findUnequal(book, one));
  const { neverSent, twice, early, afterEnd, notTakenBack } = nudges;
  return {
    figures: {
      'acknowledged writes': book.acknowledged,
      lost: lost.length,
      doubled: doubled.length,
      'due nudges': nudges.due,
      'never sent': neverSent.length,
      'sent twice without a reason': twice.length,
      'sent again after a fault': nudges.repeated,
      'too early': early.length,
      'after the end': afterEnd.length,
      'retractions due': nudges.retractionsDue,
      'retractions missing': notTakenBack.length,
      'lists, search, sync, counts or apps that differ': unequal.length,
      'other violations': book.violations.length,
    },
    violations: [
      ...book.violations,
      ...lost,
      ...doubled,
      ...unequal,
      ...neverSent,
      ...twice,
      ...early,
      ...afterEnd,
      ...notTakenBack,
    ],
  };
}

/** Nobody knows whether a write without an answer was carried out; if it was, the lists must agree about it. */
function adoptUnanswered(book: Book, { email, listed }: Seen): void {
  for (const { id, title, status } of listed) {
    if (!book.unanswered.delete(title)) continue;
    book.addTask({ id, owner: email, title, status: status as Status, runs: [] });
  }
}

function findLost(book: Book, { email, listed }: Seen): string[] {
  const ids = new Set(listed.map(({ id }) => id));
  const missing = book.tasksOf(email).filter(({ id, status }) => status !== 'dropped' && !ids.has(id));
  return missing.map(({ id, title }) => `lost: ${title} (${id}) of ${email} was acknowledged and is not listed`);
}

function findDoubled(book: Book, { email, listed }: Seen): string[] {
  const times = new Map<string, number>();
  for (const { title } of listed) times.set(title, (times.get(title) ?? 0) + 1);
  const twice = [...times].filter(([, count]) => count > 1).map(([title]) => `doubled: ${title} of ${email}`);
  const strange = listed.filter(({ id }) => !book.tasks.has(id));
  return [...twice, ...strange.map(({ title, id }) => `doubled: ${title} (${id}) of ${email} was never asked for`)];
}

function findUnequal(book: Book, { email, listed, found, synced, counts, inApp }: Seen): string[] {
  const tasks = book.tasksOf(email);
  const kept = tasks.filter(({ status }) => status !== 'dropped');
  const open = tasks.filter(({ status }) => status === 'open');
  const wrong = [
    ...differences('the list', kept, listed.filter(isKept)),
    ...differences('the phone that syncs', kept, synced.filter(isKept)),
  ];
  for (const { id, title } of kept) {
    const ids = found.get(id);
    // An adopted one was not searched for.
    if (!ids) continue;
    if (ids.length !== 1 || ids[0] !== id) wrong.push(`the search for ${title} finds ${ids.length} tasks`);
  }
  for (const status of ['open', 'done', 'skipped'] as const) {
    const expected = tasks.filter((task) => task.status === status).length;
    if (counts[status] !== expected) wrong.push(`the statistics count ${counts[status]} ${status}, not ${expected}`);
  }
  if (inApp !== undefined) {
    const titles = new Set(inApp);
    const wanted = new Set(open.map(({ title }) => title));
    for (const title of wanted.difference(titles)) wrong.push(`the app lacks ${title}`);
    for (const title of titles.difference(wanted)) wrong.push(`the app has ${title}, which is not open`);
  }
  return wrong.map((sentence) => `unequal for ${email}: ${sentence}`);
}

/** A dropped task may be listed for as long as it can be taken back. */
const isKept = ({ status }: SeenTask) => status !== 'dropped';

function differences(where: string, expected: readonly TaskEntry[], shown: readonly SeenTask[]): string[] {
  const byId = new Map(shown.map((task) => [task.id, task]));
  const wrong = expected.flatMap(({ id, title, status }) => {
    const there = byId.get(id);
    if (!there) return [`${where} lacks ${title}`];
    const isEqual = there.title === title && there.status === status;
    return isEqual ? [] : [`${where} has ${there.title}, ${there.status}, for ${title}, ${status}`];
  });
  const known = new Set(expected.map(({ id }) => id));
  return [...wrong, ...shown.filter(({ id }) => !known.has(id)).map(({ title }) => `${where} also has ${title}`)];
}

interface NudgeAccount {
  due: number;
  repeated: number;
  retractionsDue: number;
  readonly neverSent: string[];
  readonly twice: string[];
  readonly early: string[];
  readonly afterEnd: string[];
  readonly notTakenBack: string[];
}

function settleNudges(evidence: Evidence): NudgeAccount {
  const account: NudgeAccount = {
    due: 0,
    repeated: 0,
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

function isAfterEnd({ end }: Run, { at }: Arrival, { faults }: Evidence): boolean {
  if (!end) return false;
  // A process that was stopped while it sent goes on where it was.
  const stop = faults.find(({ name, from, until }) => name === 'stop' && from < end.answeredAt && at >= until);
  const latest = Math.max(end.answeredAt, stop?.until ?? 0) + UNDER_WAY_MS;
  return at > latest;
}

const afterEndOf = (task: TaskEntry, run: Run, nudge: Arrival) =>
  `after the end: ${describe(task, nudge)}, dealt with at ${timeOf(run.end?.answeredAt ?? 0)}`;

/**
 * A push is sent again only if its result was lost: its process was killed or stopped, or the database was away, when the
 * provider had just answered.
 */
function settleRepetitions(
  task: TaskEntry,
  nudges: readonly Arrival[],
  { faults }: Evidence,
  account: NudgeAccount,
): void {
  for (const [index, nudge] of nudges.entries()) {
    const before = nudges[index - 1];
    if (!before || nudge.at - before.at >= SHORTEST_GAP_MS) continue;
    const isOtherNudge = nudge.nudgeId !== before.nudgeId;
    if (!isOtherNudge && faults.some((fault) => losesResultOf(before, fault))) account.repeated += 1;
    else
      account.twice.push(`sent twice: ${describe(task, nudge)}, before at ${timeOf(before.at)}${other(isOtherNudge)}`);
  }
}

const other = (isOtherNudge: boolean) => (isOtherNudge ? ', as another nudge' : '');

const losesResultOf = ({ at }: Arrival, { losesResults, from, until }: Fault) =>
  losesResults && from - STORED_WITHIN_MS < at && at < until + STORED_WITHIN_MS;

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

const describe = ({ title }: TaskEntry, { target, at, nudgeId }: Arrival) =>
  `${title} to ${target} at ${timeOf(at)}${nudgeId === undefined ? '' : ` (${nudgeId})`}`;

const timeOf = (ms: number) => new Date(ms).toISOString().slice(11, 23);
