/**
 * Real processes under load and faults, drawn from a seed. When the faults are over, everything that was acknowledged must be
 * there, and every nudge that was due must have arrived.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Random } from '../simulation/random.ts';
import type { EngineName } from '../support/engines.ts';
import { type Account, type Evidence, type Seen, settle } from './accounting.ts';
import { Book, type Wait } from './book.ts';
import { Crowd } from './crowd.ts';
import { type Scene, strikeAlways } from './faults.ts';
import { Installation } from './installation.ts';
import type { MachineClock } from './member.ts';
import { CLOCK_ERROR_MS, PROCESS_FAULTS } from './process-faults.ts';
import { Providers } from './providers.ts';
import { noticeStandstills } from './standstill.ts';
import { DATABASE_FAULTS, PROVIDER_FAULTS } from './surrounding-faults.ts';

export interface ChaosPlan {
  readonly engine: EngineName;
  readonly minutes: number;
  readonly seed: number;
  readonly print: (line: string) => void;
}

const MINUTE_MS = 60_000;
const ROLES = { sqlite: ['all'], postgres: ['api', 'api', 'engine', 'engine', 'engine'] } as const;
/** Of each process in turn: an API and two engines are wrong, an API is slow, and an engine is fast. */
const CLOCKS: Readonly<Record<EngineName, readonly MachineClock[]>> = {
  sqlite: [],
  postgres: [
    { shiftMs: 0, speed: 0.99 },
    { shiftMs: 600_000, speed: 1 },
    { shiftMs: 0, speed: 1.005 },
    { shiftMs: -10_000, speed: 1 },
    { shiftMs: 10_000, speed: 1 },
  ],
};
/** In a run of four minutes a process is stopped for one, and a provider is away for nearly as long. */
const STOPPED = { mostMs: 60_000, share: 1 / 4 } as const;
const AWAY = { mostMs: 120_000, share: 1 / 5 } as const;
const FULL = { mostMs: 60_000, share: 1 / 8 } as const;
const PROCESS_PAUSE_MS = [1_500, 6_000] as const;
/** Between two times in which a provider is away or the disk is full, as shares of such a time. */
const PAUSE_SHARES = [0.3, 1] as const;
/** The last part of a run has no faults: nothing excuses a push that is sent twice there. */
const CALM_SHARE = 1 / 6;
/** In each whole minute. A run with less says nothing. */
const FEWEST = { 'acknowledged writes': 25, 'due nudges': 25, 'retractions due': 5 } as const;
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
  const done: string[] = [];
  const waits: Wait[] = [];
  const providers = parts.use(await Providers.start(book));
  const installation = parts.use(
    await Installation.start({
      engine,
      roles: ROLES[engine],
      settings: providers.settings,
      clocks: CLOCKS[engine],
      onViolation: (sentence) => void book.violations.push(sentence),
      onDeath: (name) => void done.push(name),
    }),
  );
  providers.senders.candidates = () => installation.pids;
  parts.use(noticeStandstills(waits, installation));
  for (const reason of missingFaults(installation)) print(`left out: ${reason}`);
  const crowd = new Crowd(book, installation, providers, new Random(seed));
  if (!(await crowd.arrive())) return { figures: {}, violations: book.violations };
  print('everything runs; the faults begin');
  const stop = new AbortController();
  const busy = crowd.keepBusy(stop.signal);
  const countWrites = () => book.acknowledged;
  const calmMs = minutes * MINUTE_MS * CALM_SHARE;
  await strikeFor(minutes * MINUTE_MS - calmMs, { installation, providers, print, countWrites }, seed, done);
  print(`the faults are over; people go on for ${Math.round(calmMs / 1_000)} s`);
  await delay(calmMs);
  stop.abort();
  await busy;

  const { interruptions } = installation;
  const gather = (seen: readonly Seen[]): Evidence => {
    const { arrivals } = providers;
    return { book, arrivals, seen, interruptions, waits, clockErrorMs: CLOCK_ERROR_MS[engine], now: Date.now() };
  };
  print('waiting for what is still due');
  await untilSettled(() => gather([]), print);
  const { figures, violations } = settle(gather(await crowd.observe()));
  tell(book, done, waits, print);
  const unknown = providers.arrivals.filter(({ sender }) => sender === undefined);
  print(`senders that are not known ${unknown.length} of ${providers.arrivals.length}`);
  return { figures, violations: [...violations, ...findIdle(figures, minutes)] };
}

/** Processes, the database and each provider are struck independently of each other. */
async function strikeFor(
  ms: number,
  parts: Pick<Scene, 'installation' | 'providers' | 'print' | 'countWrites'>,
  seed: number,
  done: string[],
): Promise<void> {
  const signal = AbortSignal.timeout(Math.round(ms));
  const [stopMs, awayMs, fullMs] = [STOPPED, AWAY, FULL].map(({ mostMs, share }) => Math.min(mostMs, ms * share)) as [
    number,
    number,
    number,
  ];
  const pausesOf = (faultMs: number) => [PAUSE_SHARES[0] * faultMs, PAUSE_SHARES[1] * faultMs] as const;
  const lists = [
    { kinds: PROCESS_FAULTS, pauseMs: PROCESS_PAUSE_MS },
    { kinds: DATABASE_FAULTS, pauseMs: pausesOf(fullMs) },
    ...PROVIDER_FAULTS.map((kinds) => ({ kinds, pauseMs: pausesOf(awayMs) })),
  ];
  await Promise.all(
    lists.map((list, index) => {
      const scene = { ...parts, stopMs, awayMs, fullMs, signal, random: new Random(seed + 1 + index) };
      return strikeAlways(list.kinds, scene, list.pauseMs, done);
    }),
  );
}

/** The faults that this machine or this engine cannot have, with the reason. */
const missingFaults = (installation: Installation): string[] =>
  [...PROCESS_FAULTS, ...DATABASE_FAULTS, ...PROVIDER_FAULTS.flat()].flatMap(({ name, missing }) => {
    const reason = missing?.(installation);
    return reason === undefined ? [] : [`${name}: ${reason}`];
  });

const findIdle = (figures: Account['figures'], minutes: number): string[] =>
  Object.entries(FEWEST)
    .filter(([name, each]) => (figures[name] ?? 0) < each * Math.floor(minutes))
    .map(([name]) => `too little happened to say anything: ${figures[name]} ${name} in ${minutes} minutes`);

function tell(book: Book, done: readonly string[], waits: readonly Wait[], print: ChaosPlan['print']): void {
  const times = [...Map.groupBy(done, (name) => name)].map(([name, all]) => `${name} (${all.length})`);
  print(`faults: ${times.join(', ')}`);
  print(`repeated requests ${book.repeated}, ${book.blocked} while the first was in progress`);
  print(`longest "in progress" of a key ${book.longestBlockedMs} ms`);
  const longest = Math.max(0, ...waits.map(({ ms }) => ms));
  print(`processes waited for the CPU ${waits.length} times, ${Math.round(longest)} ms at most`);
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
