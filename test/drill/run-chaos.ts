/**
 * Real processes under load and faults, drawn from a seed. When the faults are over, everything that was acknowledged must be
 * there, and every nudge that was due must have arrived.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Random } from '../simulation/random.ts';
import type { EngineName } from '../support/engines.ts';
import { type Account, type Evidence, type Seen, settle } from './accounting.ts';
import { Book, type Fault } from './book.ts';
import { CLOCK_ERROR_MS, missingFaults, PROCESS_FAULTS, SURROUNDING_FAULTS, strikeAlways } from './faults.ts';
import { Hand } from './hand.ts';
import { Installation } from './installation.ts';
import { observe, phoneOf } from './observe.ts';
import { DrillPerson, type Equipment } from './person.ts';
import { Providers } from './providers.ts';
import { noticeStandstills } from './standstill.ts';

export interface ChaosPlan {
  readonly engine: EngineName;
  readonly minutes: number;
  readonly seed: number;
  readonly print: (line: string) => void;
}

const MINUTE_MS = 60_000;
const ROLES = { sqlite: ['all'], postgres: ['api', 'api', 'engine', 'engine', 'engine'] } as const;
/** Of each process in turn, at the start: an API and two engines are wrong. */
const CLOCK_SHIFTS_MS = { sqlite: [0], postgres: [0, 600_000, 0, -10_000, 10_000] } as const;
const PEOPLE: readonly Equipment[] = ['phones', 'phones', 'phones', 'app', 'app', 'mail'];
const HANDS_EACH = 2;
const PACE = { thinkMs: [200, 900] } as const;
const SYNC_EVERY_MS = 2_000;
/** A process is stopped for a minute, and for less in a run of less than four. */
const LONGEST_FAULT_MS = 60_000;
const PAUSE_MS = { processes: [1_500, 6_000], surroundings: [3_000, 9_000] } as const;
/** Only a failing run waits this long: longer than the longest back-off of a provider. */
const SETTLED_WITHIN_MS = 330_000;
const CHECK_EVERY_MS = 500;
/** In checks: every half minute. */
const TELL_EVERY = 60;
/** Longer than a lease: what would be sent again has come by then. */
const QUIET_MS = 10_000;

export async function runChaos({ engine, minutes, seed, print }: ChaosPlan): Promise<Account> {
  await using parts = new AsyncDisposableStack();
  const book = new Book();
  const faults: Fault[] = [];
  const random = new Random(seed);
  const providers = parts.use(await Providers.start(book));
  const noteDeath = (name: string) =>
    void faults.push({ name, losesResults: true, from: Date.now(), until: Date.now() });
  const installation = parts.use(
    await Installation.start({
      engine,
      roles: ROLES[engine],
      settings: providers.settings,
      clockShiftsMs: CLOCK_SHIFTS_MS[engine],
      onViolation: (sentence) => void book.violations.push(sentence),
      onDeath: noteDeath,
    }),
  );
  for (const reason of missingFaults(installation)) print(`left out: ${reason}`);
  const people = PEOPLE.map(
    (equipment, index) => new DrillPerson(book, installation, `person-${index}@example.org`, equipment),
  );
  await Promise.all(people.map((person) => person.arrive(providers)));
  print('everything runs; the faults begin');

  const phones = new Map(people.map((person) => [person, phoneOf(person)]));
  const stop = new AbortController();
  const busy = people.flatMap((person) =>
    Array.from({ length: HANDS_EACH }, () => {
      const hand = new Hand({ person, book, providers, random: new Random(random.below(2 ** 31)) });
      return hand.keepBusy(PACE, stop.signal);
    }),
  );
  const syncing = [...phones.values()].map((phone) => keepSyncing(phone, book, stop.signal));
  const longMs = Math.min(LONGEST_FAULT_MS, (minutes * MINUTE_MS) / 4);
  const calm = new AbortController();
  const scene = { installation, providers, longMs, print };
  using _pulse = noticeStandstills(faults, installation);
  const striking = Promise.all([
    strikeAlways(PROCESS_FAULTS, { ...scene, random: new Random(seed + 1) }, PAUSE_MS.processes, faults, calm.signal),
    strikeAlways(
      SURROUNDING_FAULTS,
      { ...scene, random: new Random(seed + 2) },
      PAUSE_MS.surroundings,
      faults,
      calm.signal,
    ),
  ]);
  await delay(minutes * MINUTE_MS);
  calm.abort();
  await striking;
  stop.abort();
  await Promise.all([...busy, ...syncing]);

  const gather = (seen: readonly Seen[]): Evidence => ({
    book,
    arrivals: providers.arrivals,
    seen,
    faults,
    clockErrorMs: CLOCK_ERROR_MS[engine],
    now: Date.now(),
  });
  print('the faults are over; waiting for what is still due');
  await untilSettled(() => gather([]), print);
  const seen = await Promise.all(people.map((person) => observe(person, book, phones.get(person) ?? phoneOf(person))));
  const account = settle(gather(seen));
  const times = [...Map.groupBy(faults, ({ name }) => name)].map(([name, all]) => `${name} (${all.length})`);
  print(`faults: ${times.join(', ')}`);
  print(`repeated requests ${book.repeated}; longest "in progress" of a key ${book.longestBlockedMs} ms`);
  return account;
}

async function keepSyncing(phone: ReturnType<typeof phoneOf>, book: Book, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await phone.sync().catch((error: Error) => book.violations.push(`a phone cannot sync: ${error.message}`));
    await delay(SYNC_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** Waits until everything that was due soon has arrived and was taken back, and then for what might come in addition. */
async function untilSettled(gather: () => Evidence, print: ChaosPlan['print']): Promise<void> {
  const startedAt = Date.now();
  const dueAts = [...gather().book.tasks.values()].flatMap(({ runs }) => runs.map(({ dueAt }) => dueAt));
  const lastDueAt = Math.max(0, ...dueAts.filter((dueAt) => dueAt < startedAt + MINUTE_MS));
  for (let round = 1; Date.now() < startedAt + SETTLED_WITHIN_MS; round += 1) {
    const { figures } = settle(gather());
    const { 'never sent': unsent = 0, 'retractions missing': shown = 0 } = figures;
    if (Date.now() > lastDueAt && unsent + shown === 0) break;
    if (round % TELL_EVERY === 0) print(`still due: ${unsent} nudges, ${shown} retractions`);
    await delay(CHECK_EVERY_MS);
  }
  await delay(QUIET_MS);
}
