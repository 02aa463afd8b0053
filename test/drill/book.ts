/**
 * What the drill knows from outside of the service: which writes were acknowledged, what each task therefore is, and which
 * nudges it owes. Nothing here is read from the service.
 */

/** A stretch of a task that owes one nudge to each of its owner's targets: from its date, or from the end of a snooze. */
export interface Run {
  readonly dueAt: number;
  /** Set when the owner dealt with it: a nudge may come until `answeredAt`, and must not come later. */
  end?: { readonly askedAt: number; readonly answeredAt: number; readonly isAwaited: boolean };
}

export type Status = 'open' | 'done' | 'skipped' | 'dropped';

export interface TaskEntry {
  readonly id: string;
  readonly owner: string;
  title: string;
  status: Status;
  readonly runs: Run[];
}

export interface PersonEntry {
  readonly email: string;
  /** Where each nudge must arrive. */
  readonly targets: readonly string[];
}

export class Book {
  readonly people = new Map<string, PersonEntry>();
  readonly tasks = new Map<string, TaskEntry>();
  readonly #byTitle = new Map<string, TaskEntry>();
  /** What the service must never do, noticed when it happened. */
  readonly violations: string[] = [];
  /** The titles of tasks that were asked for and not acknowledged: each may be there once, or not at all. */
  readonly unanswered = new Set<string>();
  /** How many writes were acknowledged. */
  acknowledged = 0;
  /** How often a request was repeated, because no answer came or a refusal asked for it. */
  repeated = 0;
  /** How many repetitions were told that the first request is in progress. */
  blocked = 0;
  /** The longest time for which a key was answered with "in progress". */
  longestBlockedMs = 0;

  addTask(task: TaskEntry): TaskEntry {
    if (this.tasks.has(task.id)) this.violations.push(`doubled: two writes were answered with the task ${task.id}`);
    this.tasks.set(task.id, task);
    this.#byTitle.set(task.title, task);
    return task;
  }

  /** A new title counts for what arrives as soon as it is asked for. */
  expectTitle(task: TaskEntry, title: string): void {
    this.#byTitle.set(title, task);
  }

  findByTitle(title: string): TaskEntry | undefined {
    return this.#byTitle.get(title);
  }

  /** What it says about one person alone. */
  of(email: string): Book {
    const book = new Book();
    const person = this.people.get(email);
    if (person) book.people.set(email, person);
    for (const task of this.tasksOf(email)) book.addTask(task);
    return book;
  }

  /** A deleted account owes nothing any more. */
  forget(email: string): void {
    this.people.delete(email);
    for (const { id } of this.tasksOf(email)) this.tasks.delete(id);
    for (const [title, { owner }] of this.#byTitle) if (owner === email) this.#byTitle.delete(title);
  }

  tasksOf(email: string): TaskEntry[] {
    return [...this.tasks.values()].filter(({ owner }) => owner === email);
  }
}

/** A message that a fake provider accepted. */
export interface Arrival {
  readonly kind: 'nudge' | 'retraction';
  readonly target: string;
  readonly taskId: string;
  /** The same for each repetition. Phones and mails have none. */
  readonly nudgeId?: string;
  /** The nudges that a retraction takes back. */
  readonly refs?: readonly string[];
  readonly at: number;
  /** The process that sent it; undefined if nobody knows. */
  readonly sender: number | undefined;
}

/** A time in which a process could not store the result of a push: killed, stopped, or without its database. */
export interface Interruption {
  readonly name: string;
  /** Undefined: every process. */
  readonly pid: number | undefined;
  readonly from: number;
  until: number;
}

/** How long a process wanted to run within this time and got no CPU. */
export interface Wait {
  /** Undefined: all of them, because a provider or the database waited. */
  readonly pid: number | undefined;
  readonly from: number;
  readonly until: number;
  readonly ms: number;
}
