/**
 * The service as a process that can be killed at any await: its database, its services and its engine, composed as in
 * production, without HTTP. Stored rows survive a kill; work in progress does not.
 *
 * A killed process runs no further statement and no further timer, and its open transaction is rolled back. Promises
 * that it was waiting for never settle. The database outlives the processes. In memory it has one connection: a
 * read outside of a transaction waits for the running commit, as if the read had come a moment later. SQLite allows one
 * service at a time (a lock file ensures it, and only that process knows the moment up to which sync may read), so
 * there is never a second one next to it.
 */
import { OAuthError } from '../../src/connections/oauth-error.ts';
import { AppError, InvalidInput } from '../../src/lib/errors.ts';
import type { Mailer } from '../../src/lib/mailer.ts';
import { forgetTurns } from '../../src/lib/next-turn.ts';
import type { Gateway } from '../../src/push/gateway.ts';
import { composeServices } from './composed-services.ts';
import type { GatewayName } from './gateways.ts';
import type { Holder } from './holder.ts';
import type { Owner, Runtime } from './runtime.ts';
import type { SharedDatabase } from './shared-database.ts';

export interface ProcessOptions {
  readonly database: SharedDatabase;
  readonly gateways: Readonly<Record<GatewayName, Gateway>>;
  /** Where the provider of channels has several, its gateway is the real one. */
  readonly servers: ReadonlyMap<string, Gateway>;
  /** Whether the operator offers channels. Each provider costs time in every run. */
  readonly hasChannels: boolean;
  /** Whether the service mails accounts that nothing else reaches. */
  readonly hasMail: boolean;
  /** Holds messages, if the provider of channels can. */
  readonly holder: Holder | undefined;
  /** How many rows a request or a slice changes at once. */
  readonly rowsAtOnce: number;
  /** Whether the engine may run a slice now. */
  readonly mayFollowUp: () => boolean;
  /** Takes mails to accounts, in some worlds. */
  readonly mailer: Pick<Mailer, 'send'> | undefined;
  readonly onError: (message: string) => void;
}

export class ServiceProcess implements Owner {
  readonly startedMs: number;
  readonly services: ReturnType<typeof composeServices>;
  readonly #database: SharedDatabase;
  #operationsLeft = Number.POSITIVE_INFINITY;
  #onDeath = Promise.withResolvers<void>();
  isDead = false;
  /** It ended in peace: whatever it had sent was answered, and the result stored. */
  isStopped = false;
  diedMs = Number.POSITIVE_INFINITY;
  readonly #runtime: Runtime;

  constructor(runtime: Runtime, options: ProcessOptions) {
    this.#runtime = runtime;
    this.startedMs = runtime.elapsedMs;
    forgetTurns();
    runtime.owner = this;
    this.#database = options.database;
    this.#database.user = this;
    this.services = composeServices(this, runtime, options);
    this.services.engine.start();
    runtime.owner = null;
  }

  /** Kills the process at the given operation from now: a statement, a commit, or a push. */
  dieAfter(operations: number): void {
    this.#operationsLeft = operations;
  }

  /** The database refuses the next commit, so that its transactions run again. */
  failNextCommit(): void {
    this.#database.failsNextCommit = true;
  }

  /** When what it learned at that moment was stored, give or take the moment that a commit takes. */
  storedBy(ms: number): number {
    return this.#database.faults.storedBy(ms);
  }

  /** It will die soon, or is dead. */
  get isDoomed(): boolean {
    return this.isDead || this.#operationsLeft < Number.POSITIVE_INFINITY;
  }

  /** Called before each operation. False once the process is dead. */
  mayGoOn(): boolean {
    if (this.isDead) return false;
    this.#operationsLeft -= 1;
    if (this.#operationsLeft <= 0) this.die();
    return !this.isDead;
  }

  onDeath(act: () => void): void {
    void this.#onDeath.promise.then(act);
  }

  die(): void {
    if (this.isDead) return;
    this.isDead = true;
    this.diedMs = this.#runtime.elapsedMs;
    this.#database.rollBack();
    this.#onDeath.resolve();
  }

  /** Ends as in a deploy, unless it dies first. With a database that fails, it gives up storing results in the end. */
  async stop(): Promise<void> {
    const askedMs = this.#runtime.elapsedMs;
    const stopping = this.services.engine.stop();
    await Promise.race([stopping, this.#onDeath.promise]);
    if (this.isDead) return;
    this.isStopped = this.#database.faults.recoveredMs < askedMs;
    this.die();
  }

  /** Asks a service; it may refuse, and the process may die first. */
  async answer<T>(request: (services: Services) => Promise<T>): Promise<Answer<T>> {
    if (this.isDead) return 'no answer';
    const answer = request(this.services).then(
      (value) => ({ value }),
      (error) => this.#fail(error),
    );
    const first = await Promise.race([answer, this.#onDeath.promise]);
    return this.isDead || !first ? 'no answer' : first;
  }

  /** A caller whose request failed with the database knows as little about it as if the process had died. */
  async #fail(error: unknown): Promise<Answer<never>> {
    if (!this.#database.faults.caused(error)) return toRefusal(error);
    // The rows that a caller compares would contain what others have not committed yet.
    while (this.#database.isTransaction && !this.isDead) await this.#aTurn();
    return 'no answer';
  }

  /** Beside a reader, an open transaction takes time. */
  #aTurn(): Promise<void> {
    const { reader } = this.#database;
    return new Promise((resolve) => {
      if (reader) this.#runtime.after(1, resolve, null);
      else this.#runtime.immediately(resolve, null);
    });
  }
}

export type Services = ServiceProcess['services'];
export type Answer<T> = { readonly value: T } | { readonly refusal: string } | 'no answer';

function toRefusal(error: unknown): { readonly refusal: string } {
  if (error instanceof AppError) return { refusal: error.code };
  if (error instanceof InvalidInput) return { refusal: 'invalid' };
  if (error instanceof OAuthError) return { refusal: error.error };
  throw error;
}
