/** A process of the service that dies by a real SIGKILL, at a step that the test chooses or when the test says so. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { COMPILE_CACHE } from './compile-cache.ts';
import type { Answer } from './test-app.ts';

const SCRIPT = join(import.meta.dirname, 'mortal-service.ts');

export interface Step {
  /** A pattern that a statement or a request to a provider matches: "POST /hook". */
  readonly before: string;
  /** Which of the matching steps, counted from 1. */
  readonly nth: number;
}

interface Request {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload?: object;
}

export type Order =
  | ({ readonly kind: 'die' } & Step)
  | { readonly kind: 'advance'; readonly duration: string }
  | { readonly kind: 'settle' }
  | { readonly kind: 'admit' }
  | { readonly kind: 'ask'; readonly request: Request };

export class MortalProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  isDead = false;

  private constructor(environment: Readonly<Record<string, string>>) {
    this.#child = fork(SCRIPT, { env: { ...COMPILE_CACHE, ...environment }, execArgv: [] });
    this.#exited = once(this.#child, 'exit').then(([code, signal]) => {
      this.isDead = true;
      if (signal !== 'SIGKILL') throw new Error(`The service ended by itself: ${code ?? signal}.`);
    });
  }

  static async start(databaseUrl: string, now: Date, settings: Readonly<Record<string, string>>) {
    const environment = { ...settings, MORTAL_DATABASE: databaseUrl, MORTAL_NOW: now.toISOString() };
    const started = new MortalProcess(environment);
    await started.#reply();
    return started;
  }

  dieAt(step: Step): Promise<unknown> {
    return this.#order({ kind: 'die', ...step });
  }

  /** The process may die meanwhile. */
  async advance(duration: string): Promise<void> {
    await this.#order({ kind: 'advance', duration });
  }

  /** Creates an account; returns the token of a session. */
  async admitPerson(): Promise<string> {
    const { sessionToken } = (await this.#order({ kind: 'admit' })) as { sessionToken: string };
    return sessionToken;
  }

  /** Undefined if the process died before it answered. */
  async ask(request: Request): Promise<Answer | undefined> {
    const answer = (await this.#order({ kind: 'ask', request })) as Answer | undefined;
    if (answer) await this.#order({ kind: 'settle' });
    return answer;
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill();
  }

  async #order(order: Order): Promise<unknown> {
    if (this.isDead) return undefined;
    const reply = this.#reply();
    // The error is ignored: if the process has just died, its exit shows it.
    this.#child.send(order, () => undefined);
    return reply;
  }

  #reply(): Promise<unknown> {
    const replied = once(this.#child, 'message').then(([message]) => message as unknown);
    return Promise.race([replied, this.#exited]);
  }
}
