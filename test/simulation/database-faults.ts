/**
 * Errors of SQLite that the database throws in the place of a statement, as SQLite itself would: a failed read or write
 * of the disk rolls back the whole transaction, a full disk the statement or the transaction, and a lock nothing.
 */
import type { Random } from './random.ts';

const ERRORS = {
  'disk I/O error': [10, 266, 522, 778, 1034],
  'database or disk is full': [13],
  'database is locked': [5, 261],
} as const;
export type FaultKind = keyof typeof ERRORS;
export const FAULT_KINDS = Object.keys(ERRORS) as readonly FaultKind[];

/** Which statements fail: `ends` are the beginning and the end of a transaction, and of its savepoints. */
export const FAULT_SCOPES = ['all', 'reads', 'writes', 'ends'] as const;
type FaultScope = (typeof FAULT_SCOPES)[number];

export interface Fault {
  readonly kind: FaultKind;
  readonly scope: FaultScope;
  /** So many statements of its scope work before. */
  readonly after: number;
  /** Ends with the first statement that fails. */
  readonly isOnce: boolean;
  /** Of the statements from then on, how many fail. */
  readonly share: number;
  /** Milliseconds since the start. */
  readonly untilMs: number;
  /** Of its own, so that the rest of the world is not told another story. */
  readonly random: Random;
}

/** While its back-off grows, a loop of the engine waits this long at most. */
const TRIED_AGAIN_MS = 6_000;
/** A reader of the log gets a line as soon as the loop has given up, at most this late. */
const LOGGED_WITHIN_MS = 6_000;

const never = { fromMs: Number.NEGATIVE_INFINITY, untilMs: Number.NEGATIVE_INFINITY };

class StatementFailed extends Error {
  readonly code = 'ERR_SQLITE_ERROR';
  readonly errcode: number;

  constructor(kind: FaultKind, errcode: number) {
    super(kind);
    this.errcode = errcode;
  }
}

export class DatabaseFaults {
  #fault: Fault | undefined;
  #left = 0;
  /** From the first to the last statement that failed, one for each fault that met any. */
  #times: { fromMs: number; untilMs: number }[] = [];
  /** Milliseconds since the start of the world. */
  elapsedMs: () => number = () => 0;

  reset(elapsedMs: () => number): void {
    this.elapsedMs = elapsedMs;
    this.#times = [];
    this.end();
  }

  begin(fault: Fault): void {
    this.#fault = fault;
    this.#left = fault.after;
  }

  end(): void {
    this.#fault = undefined;
  }

  /** Whether a statement may still fail. */
  get isOn(): boolean {
    if (this.#fault && this.elapsedMs() > this.#fault.untilMs) this.end();
    return this.#fault !== undefined;
  }

  /** When every loop has tried again what the last failed statement kept it from. */
  get recoveredMs(): number {
    return (this.#times.at(-1) ?? never).untilMs + TRIED_AGAIN_MS;
  }

  /** How often statements have failed since then, a while of failures counted once. */
  countSince(ms: number): number {
    return this.#times.filter(({ untilMs }) => untilMs >= ms).length;
  }

  /** What was to be stored at that moment was stored by then. */
  storedBy(ms: number): number {
    const during = this.#times.findLast(
      ({ fromMs, untilMs }) => ms >= fromMs - 1_000 && ms <= untilMs + TRIED_AGAIN_MS,
    );
    return during ? during.untilMs + TRIED_AGAIN_MS : ms;
  }

  /** When the failures began that still hold up what comes now, or this moment if none do. */
  heldUpSince(ms: number): number {
    const during = this.#times.findLast(({ fromMs, untilMs }) => ms >= fromMs && ms <= untilMs + TRIED_AGAIN_MS);
    return during?.fromMs ?? ms;
  }

  /** Throws if this statement fails. Call `rollBack` is what SQLite does then by itself. */
  meet(sql: string, rollBack: () => void): void {
    if (!this.#fault || !this.isOn || !isWithin(this.#fault.scope, sql)) return;
    const { kind, random, isOnce, share } = this.#fault;
    if (!canFail(kind, sql)) return;
    this.#left -= 1;
    if (this.#left >= 0 || !random.chance(share)) return;
    this.#note(this.#left === -1);
    if (isOnce) this.end();
    if (rollsBack(kind, sql, random)) rollBack();
    throw new StatementFailed(kind, random.pick<number>(ERRORS[kind]));
  }

  /** Alone, it lets a transaction run again. Where statements fail as well, it may be the last that the service tries. */
  refusedCommit(): Error {
    const [kind, errcode] = ['database is locked', 5] as const;
    if (this.isOn) return new StatementFailed(kind, errcode);
    return Object.assign(new Error(kind), { code: 'ERR_SQLITE_ERROR', errcode });
  }

  #note(isFirst: boolean): void {
    const now = this.elapsedMs();
    const last = this.#times.at(-1);
    if (last && (!isFirst || now - last.untilMs < TRIED_AGAIN_MS)) last.untilMs = now;
    else this.#times.push({ fromMs: now, untilMs: now });
  }

  /** Whether the service failed because a statement did. */
  caused(error: unknown): boolean {
    if (error instanceof StatementFailed) return true;
    return error instanceof Error && error.cause !== undefined && this.caused(error.cause);
  }

  /** Whether the logged line is about a statement that has just failed. */
  explains(line: string): boolean {
    if (this.elapsedMs() - (this.#times.at(-1) ?? never).untilMs > LOGGED_WITHIN_MS) return false;
    return isAboutOneOf((JSON.parse(line) as { err?: LoggedError }).err);
  }
}

interface LoggedError {
  readonly code?: string;
  readonly message?: string;
  readonly cause?: LoggedError;
}

const isAboutOneOf = (error: LoggedError | undefined): boolean =>
  error !== undefined &&
  ((error.code === 'ERR_SQLITE_ERROR' && FAULT_KINDS.some((kind) => kind === error.message)) ||
    isAboutOneOf(error.cause));

const isEnd = (sql: string): boolean => /^(begin|savepoint|release|commit|rollback)/.test(sql);
const isRead = (sql: string): boolean => /^\s*(select|with)\b/i.test(sql) && !/\b(insert|update|delete)\b/i.test(sql);

function isWithin(scope: FaultScope, sql: string): boolean {
  if (scope === 'ends') return isEnd(sql);
  if (scope === 'reads') return isRead(sql);
  return scope === 'all' || (!isRead(sql) && !isEnd(sql));
}

/** SQLite gives a transaction up without touching the disk; only the file's lock is asked for at its beginning and end. */
function canFail(kind: FaultKind, sql: string): boolean {
  if (sql === 'rollback') return false;
  return kind !== 'database is locked' || !/^(savepoint|release|rollback)/.test(sql);
}

/** A full disk ends the transaction if the statement cannot be undone alone. Locked, `commit` may be tried again. */
function rollsBack(kind: FaultKind, sql: string, random: Random): boolean {
  if (kind === 'database is locked') return false;
  return kind === 'disk I/O error' || isEnd(sql) || random.chance(0.5);
}
