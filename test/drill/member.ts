/**
 * A process of the service that is started again whenever it ends. One that ends by itself, without a fault, is a violation.
 */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SHIFTED_CLOCK } from '../support/engine-fleet.ts';
import { ServiceProcess } from '../support/service-process.ts';
import type { Interruption } from './book.ts';

const RESTART_AFTER_MS = 300;
const LAST_WORDS = 600;
const MORTAL_STEP = ['--import', join(import.meta.dirname, 'mortal-step.ts')];

export type Role = 'all' | 'api' | 'engine';

/** How the next process of a member differs from a sound one. */
export interface Ailment {
  readonly clockShiftMs?: number;
  readonly diesBefore?: string;
  readonly nth?: number;
}

/** The clock of a machine, from the start of the drill on. */
export interface MachineClock {
  readonly shiftMs: number;
  readonly speed: number;
}

interface MemberParts {
  readonly role: Role;
  readonly settings: Readonly<Record<string, string>>;
  readonly nodeFlags: readonly string[];
  /** Its start is when the clock was wrong by its shift alone. */
  readonly clock: MachineClock & { readonly startedAt: number };
  /** Called with what is wrong, and with the last words of the process. */
  readonly onViolation: (sentence: string) => void;
  /** Called when it died before its step. */
  readonly onDeath: (name: string) => void;
  /** Called when one of its processes was killed, died before its step, or is stopped. */
  readonly onInterruption: (interruption: Interruption) => void;
  /** Whether a start may fail now. */
  readonly isExcused: () => boolean;
}

export class Member {
  readonly name: string;
  readonly role: Role;
  readonly #parts: MemberParts;
  readonly #living: Promise<void>;
  /** Running or starting. */
  #launched: ServiceProcess | undefined;
  #service: ServiceProcess | undefined;
  #isStruck = false;
  #isEnding = false;
  #ready = Promise.withResolvers<void>();
  #ailment: Ailment;
  starts = 0;

  constructor(name: string, parts: MemberParts) {
    this.name = name;
    this.role = parts.role;
    this.#parts = parts;
    this.#ailment = { clockShiftMs: parts.clock.shiftMs };
    this.#living = this.#live();
  }

  /** Undefined while it is not running. */
  get baseUrl(): string | undefined {
    return this.#service?.baseUrl;
  }

  get pid(): number | undefined {
    return this.#service?.pid;
  }

  /** Also before it is ready. */
  get launchedPid(): number | undefined {
    return this.#launched?.pid;
  }

  ready(): Promise<void> {
    return this.#ready.promise;
  }

  kill(ailment: Ailment = {}): void {
    this.#isStruck = true;
    this.#ailment = { ...this.#ailment, ...ailment };
    this.signal('SIGKILL');
  }

  signal(signal: NodeJS.Signals): void {
    if (this.#service) process.kill(this.#service.pid, signal);
  }

  /** Stops the process for this long, or until the signal. */
  async stop(ms: number, signal: AbortSignal): Promise<void> {
    const { pid } = this;
    if (pid === undefined) return;
    const stop = { name: 'stop', pid, from: Date.now(), until: Number.POSITIVE_INFINITY };
    this.#parts.onInterruption(stop);
    this.signal('SIGSTOP');
    await delay(ms, undefined, { signal }).catch(() => undefined);
    this.signal('SIGCONT');
    stop.until = Date.now();
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    this.signal('SIGCONT');
    this.signal('SIGTERM');
    await this.#living;
  }

  async #live(): Promise<void> {
    while (!this.#isEnding) {
      const { diesBefore } = this.#ailment;
      const service = this.#launch();
      this.#launched = service;
      const isReady = (await service.readyOrExited()) === 'ready';
      if (isReady) this.#rise(service);
      const { code, signal } = await service.exit;
      this.#service = undefined;
      this.#launched = undefined;
      this.#noteEnd(service.pid);
      const isExpected = this.#isStruck || this.#isEnding;
      if (!isExpected && diesBefore !== undefined && signal === 'SIGKILL')
        this.#parts.onDeath(`${this.name} dies before ${diesBefore}`);
      else if (!isExpected && (isReady || !this.#parts.isExcused()))
        this.#complain(service, `${code ?? signal}`, isReady);
      this.#isStruck = false;
      await service[Symbol.asyncDispose]();
      if (!this.#isEnding) await delay(RESTART_AFTER_MS);
    }
  }

  #noteEnd(pid: number): void {
    const now = Date.now();
    this.#parts.onInterruption({ name: 'end', pid, from: now, until: now });
  }

  #launch(): ServiceProcess {
    const { diesBefore, nth = 1, clockShiftMs = 0 } = this.#ailment;
    // Only this process dies of it; the one after is sound.
    this.#ailment = { clockShiftMs };
    const { settings, role, nodeFlags, clock } = this.#parts;
    const mortal = diesBefore === undefined ? {} : { DIE_BEFORE: diesBefore, DIE_NTH: String(nth) };
    return new ServiceProcess(
      {
        ...settings,
        ROLE: role,
        CLOCK_SHIFT_MS: String(clockShiftMs),
        CLOCK_RATE: String(clock.speed),
        CLOCK_RIGHT_AT: String(clock.startedAt),
        ...mortal,
      },
      { nodeFlags: [...nodeFlags, ...SHIFTED_CLOCK, ...(diesBefore === undefined ? [] : MORTAL_STEP)] },
    );
  }

  #rise(service: ServiceProcess): void {
    this.#service = service;
    this.starts += 1;
    this.#ready.resolve();
    // Told to end while it started.
    if (this.#isEnding) this.signal('SIGTERM');
  }

  #complain({ stdout, stderr }: ServiceProcess, exit: string, wasReady: boolean): void {
    const words = `${stdout}${stderr}`.slice(-LAST_WORDS);
    const sentence = `${this.name} ${wasReady ? 'ended by itself' : 'did not start'} (${exit}). It said: ${words}`;
    this.#parts.onViolation(sentence);
    // Nobody waits for a first start that failed.
    this.#ready.reject(new Error(sentence));
  }
}
