/**
 * What a person does, one thing after another, with tasks of its own: creates them by the API or an app, waits for their
 * nudges, deals with them in every way there is, and notes what was acknowledged.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '../../src/lib/ids.ts';
import type { Random } from '../simulation/random.ts';
import type { Book, Run, Status, TaskEntry } from './book.ts';
import { type DrillPerson, type Final, GaveUp } from './person.ts';
import type { Providers } from './providers.ts';

/** No more at once, so that most tasks are dealt with. */
const MOST_OPEN = 10;
const DAY_MS = 86_400_000;
/** The clock of the service may be wrong by this on SQLite. */
const MOST_CLOCK_ERROR_MS = 2_000;

export interface Pace {
  /** Between two things that a hand does. */
  readonly thinkMs: readonly [least: number, most: number];
}

interface Work {
  readonly person: DrillPerson;
  readonly book: Book;
  readonly providers: Providers;
  readonly random: Random;
}

const compact = (ms: number) => `${new Date(ms).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;

export class Hand {
  readonly #work: Work;
  readonly #open: TaskEntry[] = [];
  /** The names of the tasks that came from the app. */
  readonly #inApp = new Map<TaskEntry, { readonly name: string; readonly lines: readonly string[] }>();

  constructor(work: Work) {
    this.#work = work;
  }

  /** Goes on until the signal, and ends what it has begun. */
  async keepBusy({ thinkMs: [least, most] }: Pace, signal: AbortSignal): Promise<void> {
    const { book, random } = this.#work;
    while (!signal.aborted) {
      try {
        await this.#doSomething();
      } catch (error) {
        if (!(error instanceof GaveUp)) throw error;
        book.violations.push(error.message);
        return;
      }
      await delay(random.between(least, most), undefined, { signal }).catch(() => undefined);
    }
  }

  async #doSomething(): Promise<void> {
    const { random } = this.#work;
    const ripe = this.#open.filter((task) => this.#isHeard(task));
    const young = this.#open.filter((task) => !this.#isDue(task));
    if (ripe.length > 0 && random.chance(0.6)) return this.#dealWith(random.pick(ripe), true);
    if (young.length > 0 && random.chance(0.1)) return this.#dealWith(random.pick(young), false);
    const waiting = this.#open.filter((task) => this.#isDue(task) && !ripe.includes(task));
    if (waiting.length > 0 && random.chance(0.1)) return this.#dealWith(random.pick(waiting), false);
    if (this.#open.length < MOST_OPEN) return this.#create();
    if (ripe.length > 0) return this.#dealWith(random.pick(ripe), true);
  }

  #isDue({ runs }: TaskEntry): boolean {
    const run = runs.at(-1);
    return run !== undefined && run.dueAt <= Date.now();
  }

  /** Whether the nudge of the present run has arrived everywhere. */
  #isHeard({ id, runs, owner }: TaskEntry): boolean {
    const { book, providers } = this.#work;
    const run = runs.at(-1);
    if (!run || run.end || run.dueAt > Date.now()) return false;
    const heard = new Set(
      providers.ofTask(id).flatMap(({ kind, target, at }) => (kind === 'nudge' && at >= run.dueAt ? target : [])),
    );
    return book.people.get(owner)?.targets.every((target) => heard.has(target)) ?? false;
  }

  /** Most are due soon, some at once, some tomorrow, some never. */
  #chooseDueAt(): number | undefined {
    const { random } = this.#work;
    const kind = random.next();
    if (kind < 0.1) return undefined;
    if (kind < 0.2) return Date.now() + DAY_MS;
    if (kind < 0.35) return wholeSecond(Date.now());
    return wholeSecond(Date.now() + random.between(2_000, 20_000));
  }

  async #create(): Promise<void> {
    const { person, book, random } = this.#work;
    const title = newTitle();
    const dueAt = this.#chooseDueAt();
    book.unanswered.add(title);
    if (person.hasApp && random.chance(0.5)) return this.#createInApp(title, dueAt);
    const payload = { title, ...(dueAt !== undefined && { due_at: new Date(dueAt).toISOString(), has_time: true }) };
    const { data, isSpent } = await person.write('POST', '/v1/tasks', payload);
    await this.#note(title, dueAt, isSpent ? undefined : data.id);
  }

  async #createInApp(title: string, dueAt: number | undefined): Promise<void> {
    const name = `${newId()}.ics`;
    const lines = [`UID:${name}`, `SUMMARY:${title}`, ...(dueAt === undefined ? [] : [`DUE:${compact(dueAt)}`])];
    await this.#work.person.store(name, lines);
    const task = await this.#note(title, dueAt, undefined);
    if (task) this.#inApp.set(task, { name, lines });
  }

  /** Who did not learn the id of a task searches for it: an acknowledged one must be found. */
  async #note(title: string, dueAt: number | undefined, known: string | undefined): Promise<TaskEntry | undefined> {
    const { person, book } = this.#work;
    book.unanswered.delete(title);
    const id = known ?? (await person.read(`/v1/tasks/search?q=${title}`)).data[0]?.id;
    if (id === undefined) {
      book.violations.push(`lost: ${title} of ${person.email} was acknowledged, and a search does not find it`);
      return undefined;
    }
    const runs = dueAt === undefined ? [] : [{ dueAt }];
    const task = book.addTask({ id, owner: person.email, title, status: 'open', runs });
    this.#open.push(task);
    return task;
  }

  async #dealWith(task: TaskEntry, isAwaited: boolean): Promise<void> {
    const { random } = this.#work;
    const choice = random.next();
    if (choice < 0.15) return this.#rename(task);
    // Only after its nudge: a late one could not be told from that of the snooze.
    if (choice < 0.4 && isAwaited) return this.#snooze(task);
    if (choice < 0.5) return this.#close(task, 'skipped', isAwaited, () => this.#act(task, 'skip'));
    if (choice < 0.6) return this.#close(task, 'dropped', isAwaited, () => this.#act(task, 'drop'));
    return this.#close(task, 'done', isAwaited, () => this.#complete(task, isAwaited));
  }

  /** By the API, by a button in the newest message, or in the app. */
  #complete(task: TaskEntry, isAwaited: boolean): Promise<Final> {
    const { person, providers, random } = this.#work;
    const stored = this.#inApp.get(task);
    if (stored && random.chance(0.5)) return person.store(stored.name, [...stored.lines, 'STATUS:COMPLETED']);
    const shown = isAwaited ? providers.shownOf(task.id) : undefined;
    if (shown && random.chance(0.3)) return person.press(shown.done);
    return this.#act(task, 'complete');
  }

  #act({ id }: TaskEntry, action: string): Promise<Final> {
    return this.#work.person.write('POST', `/v1/tasks/${id}/${action}`, {});
  }

  async #close(task: TaskEntry, status: Status, isAwaited: boolean, act: () => Promise<Final>): Promise<void> {
    this.#open.splice(this.#open.indexOf(task), 1);
    this.#endRun(task, isAwaited, await act());
    task.status = status;
    if (this.#work.random.chance(0.2)) await this.#checkRead(task);
  }

  async #snooze(task: TaskEntry): Promise<void> {
    const { random } = this.#work;
    const dueAt = wholeSecond(Date.now() + random.between(5_000, 15_000));
    const until = new Date(dueAt).toISOString();
    const final = await this.#work.person.write('POST', `/v1/tasks/${task.id}/snooze`, { until }, [422]);
    // Repeated for so long that the moment has passed. Then nothing was changed, or the key would be spent.
    if (final.status === 422 && Date.now() >= dueAt - MOST_CLOCK_ERROR_MS) return;
    if (final.status === 422) this.#work.book.violations.push(`refused: ${task.title} is snoozed until ${until}`);
    this.#endRun(task, true, final);
    task.runs.push({ dueAt });
  }

  #endRun({ runs }: TaskEntry, isAwaited: boolean, { askedAt, answeredAt }: Final): void {
    const run: Run | undefined = runs.at(-1);
    if (run) run.end = { askedAt, answeredAt, isAwaited };
  }

  async #rename(task: TaskEntry): Promise<void> {
    // An app that stores its copy again would put the old title back.
    if (this.#inApp.has(task)) return;
    const { person, book } = this.#work;
    const title = newTitle();
    // A mail that is under way may have either title.
    book.expectTitle(task, title);
    await person.write('PATCH', `/v1/tasks/${task.id}`, { title });
    task.title = title;
  }

  /** Whichever process answers, it says what was acknowledged. */
  async #checkRead({ id, title, status }: TaskEntry): Promise<void> {
    const { person, book } = this.#work;
    const { data } = await person.read(`/v1/tasks/${id}`);
    if (data?.status !== status || data.title !== title)
      book.violations.push(
        `lost: ${title} was acknowledged as ${status} and is read as ${data?.title} ${data?.status}`,
      );
  }
}

/** Found by a search for it alone. */
const newTitle = () => `drill${newId().replaceAll('-', '')}`;

/** As people and apps write moments. */
const wholeSecond = (ms: number) => Math.floor(ms / 1_000) * 1_000;
