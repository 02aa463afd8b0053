/**
 * Real processes under a constant load without faults. People come, use the service for a minute or two, and delete their
 * accounts, so after a while as much goes as comes, and nothing may grow.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Random } from '../simulation/random.ts';
import type { EngineName } from '../support/engines.ts';
import { settle } from './accounting.ts';
import { Book, type Wait } from './book.ts';
import { judge, judgeRemains, median, type Sample, type Trend } from './growth.ts';
import { Hand } from './hand.ts';
import { Installation } from './installation.ts';
import { measure } from './measure.ts';
import { observe, phoneOf } from './observe.ts';
import { DrillPerson, type Equipment } from './person.ts';
import { Providers } from './providers.ts';
import { noticeStandstills } from './standstill.ts';

export interface SoakPlan {
  readonly engine: EngineName;
  readonly minutes: number;
  readonly print: (line: string) => void;
}

const MINUTE_MS = 60_000;
const SAMPLE_EVERY_MS = 15_000;
const ROLES = { sqlite: ['all'], postgres: ['api', 'engine'] } as const;
const NODE_FLAGS = ['--expose-gc', '--import', join(import.meta.dirname, 'heap-report.ts')];
const ARRIVE_EVERY_MS = 10_000;
const STAY_MS = [40_000, 90_000] as const;
const PACE = { thinkMs: [500, 2_000] } as const;
const EQUIPMENT: readonly Equipment[] = ['phones', 'app', 'mail'];
/** Tasks are due at most 20 s ahead; who leaves first hears of them all. */
const LAST_NUDGES_MS = 25_000;
/** A delivery that was begun may still be sent, and a message taken back. */
const CHECK_EVERY_MS = 500;
const SETTLED_WITHIN_MS = 60_000;

interface Result {
  readonly trends: readonly Trend[];
  /** What is stored once everybody has left. */
  readonly remains: readonly Trend[];
  readonly people: number;
  readonly acknowledged: number;
  readonly nudges: number;
  readonly violations: readonly string[];
  /** How often a process waited for the CPU. */
  readonly waits: number;
}

export async function runSoak({ engine, minutes, print }: SoakPlan): Promise<Result> {
  await using parts = new AsyncDisposableStack();
  const heapReports = mkdtempSync(join(tmpdir(), 'crescendo-heap-'));
  const book = new Book();
  const providers = parts.use(await Providers.start(book));
  const installation = parts.use(
    await Installation.start({
      engine,
      roles: ROLES[engine],
      settings: { ...providers.settings, HEAP_REPORTS: heapReports },
      nodeFlags: NODE_FLAGS,
      onViolation: (sentence) => void book.violations.push(sentence),
    }),
  );
  const waits: Wait[] = [];
  providers.senders.candidates = () => installation.pids;
  parts.use(noticeStandstills(waits, installation));
  const visits = new Visits(book, providers, installation, waits);
  const before = await measure(installation, heapReports);
  const samples: Sample[] = [];
  const endsAt = Date.now() + minutes * MINUTE_MS;
  const coming = visits.keepComing(endsAt);
  while (Date.now() < endsAt) {
    await delay(SAMPLE_EVERY_MS);
    samples.push({ ...(await measure(installation, heapReports)), ...visits.takeLateness() });
    print(progress(samples.length * (SAMPLE_EVERY_MS / MINUTE_MS), visits, samples.at(-1) ?? {}));
  }
  await coming;
  return {
    trends: judge(samples),
    remains: await judgeAfterAll(() => measure(installation, heapReports), before, visits.ended),
    people: visits.ended,
    acknowledged: book.acknowledged,
    nudges: visits.nudges,
    violations: book.violations,
    waits: waits.length,
  };
}

/** A large account is deleted in slices after its answer. */
async function judgeAfterAll(measureNow: () => Promise<Sample>, before: Sample, people: number): Promise<Trend[]> {
  const end = Date.now() + SETTLED_WITHIN_MS;
  for (;;) {
    const remains = judgeRemains(before, await measureNow(), people);
    if (Date.now() > end || !remains.some(({ grows }) => grows)) return remains;
    await delay(SAMPLE_EVERY_MS);
  }
}

function progress(minutes: number, { present, ended }: Visits, sample: Sample): string {
  const shown = Object.entries(sample).filter(([name]) => / (RSS|heap) MB$|^lateness|^rows of tasks$/.test(name));
  const figures = shown.map(([name, value]) => `${name} ${value.toFixed(0)}`);
  return `${minutes.toFixed(2)} min: ${present} people, ${ended} gone, ${figures.join(', ')}`;
}

/** People who come and go. */
class Visits {
  readonly #book: Book;
  readonly #providers: Providers;
  readonly #installation: Installation;
  readonly #waits: readonly Wait[];
  readonly #random = new Random(1);
  #latenessMs: number[] = [];
  present = 0;
  ended = 0;
  nudges = 0;

  constructor(book: Book, providers: Providers, installation: Installation, waits: readonly Wait[]) {
    this.#waits = waits;
    this.#book = book;
    this.#providers = providers;
    this.#installation = installation;
  }

  async keepComing(endsAt: number): Promise<void> {
    const visits: Promise<void>[] = [];
    for (let number = 0; Date.now() < endsAt; number += 1) {
      const equipment = EQUIPMENT[number % EQUIPMENT.length] ?? 'phones';
      visits.push(this.#visit(`guest-${number}@example.org`, equipment, endsAt));
      await delay(ARRIVE_EVERY_MS);
    }
    await Promise.all(visits);
  }

  /** The median since the last call; nothing if no nudge was due. */
  takeLateness(): Sample {
    const late = this.#latenessMs;
    this.#latenessMs = [];
    return late.length === 0 ? {} : { 'lateness ms': median(late) };
  }

  async #visit(email: string, equipment: Equipment, endsAt: number): Promise<void> {
    this.present += 1;
    const person = new DrillPerson(this.#book, this.#installation, email, equipment);
    try {
      await person.arrive(this.#providers);
      await this.#stay(person, endsAt);
      await this.#leave(person);
    } catch (error) {
      this.#book.violations.push(`${email}: ${error instanceof Error ? error.message : error}`);
    }
    this.present -= 1;
    this.ended += 1;
  }

  async #stay(person: DrillPerson, endsAt: number): Promise<void> {
    const [book, providers] = [this.#book, this.#providers];
    const phone = phoneOf(person);
    const stayMs = Math.min(this.#random.between(...STAY_MS), Math.max(0, endsAt - Date.now()));
    const hand = new Hand({ person, book, providers, random: new Random(this.#random.below(2 ** 31)) });
    await hand.keepBusy(PACE, AbortSignal.timeout(stayMs));
    await this.#signInElsewhere(person);
    await delay(LAST_NUDGES_MS);
    await this.#untilSettled(person);
    const account = settle({ ...this.#evidenceOf(person), seen: [await observe(person, book, phone)] });
    book.violations.push(...account.violations);
    this.nudges += account.figures['due nudges'] ?? 0;
    this.#noteLateness(person);
  }

  /** Another session, which ends by signing out. */
  async #signInElsewhere(person: DrillPerson): Promise<void> {
    const before = person.sessionToken;
    await person.signIn(this.#providers);
    // Repeated after a lost answer, it finds no session any more.
    await person.write('DELETE', '/v1/auth/session', undefined, [401]);
    person.sessionToken = before;
  }

  async #leave(person: DrillPerson): Promise<void> {
    await person.write('DELETE', '/v1/me', undefined, [401]);
    for (const { id } of this.#book.tasksOf(person.email)) this.#providers.forget(id);
    this.#book.forget(person.email);
  }

  async #untilSettled(person: DrillPerson): Promise<void> {
    const end = Date.now() + SETTLED_WITHIN_MS;
    const isOwing = () => {
      const { figures } = settle({ ...this.#evidenceOf(person), seen: [] });
      return figures['never sent'] !== 0 || figures['retractions missing'] !== 0;
    };
    while (isOwing() && Date.now() < end) await delay(CHECK_EVERY_MS);
  }

  #evidenceOf({ email }: DrillPerson) {
    const book = this.#book.of(email);
    const arrivals = [...book.tasks.keys()].flatMap((id) => this.#providers.ofTask(id));
    const { interruptions } = this.#installation;
    return { book, arrivals, interruptions, waits: this.#waits, clockErrorMs: 0, now: Date.now() };
  }

  /** How long after each moment the first message about it came. */
  #noteLateness({ email }: DrillPerson): void {
    for (const { id, runs } of this.#book.tasksOf(email)) {
      const heardAts = this.#providers.ofTask(id).flatMap(({ kind, at }) => (kind === 'nudge' ? at : []));
      for (const { dueAt } of runs) {
        const heardAt = heardAts.find((at) => at >= dueAt);
        if (heardAt !== undefined) this.#latenessMs.push(heardAt - dueAt);
      }
    }
  }
}
