/** Compares the book with what arrived and with what the service says. Pure; every sentence that it returns is a violation. */
import type { Arrival, Book, Interruption, Status, TaskEntry, Wait } from './book.ts';
import { settleNudges } from './nudge-account.ts';

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
  readonly interruptions: readonly Interruption[];
  readonly waits: readonly Wait[];
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
      'sent again after a fault': nudges.afterFault,
      'sent again after a wait for the CPU': nudges.afterWait,
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
