/** What a check of the doctor is, what it looks at, and what it may say. */
import type { Config, SettingName } from '../../config.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';

export interface Finding {
  readonly verdict: 'ok' | 'warning' | 'fault';
  /** What was found, as one sentence. Never a secret. */
  readonly says: string;
  /** What to do about it. */
  readonly remedy?: string;
}

export const fine = (says: string): Finding => ({ verdict: 'ok', says });
export const warning = (says: string, remedy: string): Finding => ({ verdict: 'warning', says, remedy });
export const fault = (says: string, remedy: string): Finding => ({ verdict: 'fault', says, remedy });

/** The installation as it is. A setting that is wrong counts as unset here, and its checks are left out. */
export interface Patient {
  readonly config: Config;
  readonly version: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface Check {
  readonly name: string;
  /** What it goes by: where one of them is wrong, there is nothing to look at. */
  readonly settings: readonly SettingName[];
  /** How long it may take; a quarter of a minute unless told. */
  readonly limitMs?: number;
  /** Undefined where it does not concern this installation. May throw: then that is the finding. */
  look(patient: Patient, signal: AbortSignal): Promise<Finding | undefined>;
}

const LIMIT_MS = 15_000;

export async function examine(check: Check, patient: Patient, signal: AbortSignal): Promise<Finding | undefined> {
  const limitMs = check.limitMs ?? LIMIT_MS;
  const late = Promise.withResolvers<Finding>();
  const limit = new AbortController();
  const timer = setTimeout(() => {
    late.resolve(
      fault(`took longer than ${limitMs / 1_000} s`, 'See whether what it asks answers at all, and try again.'),
    );
    limit.abort();
  }, limitMs);
  const stop = () => late.reject(signal.reason);
  signal.addEventListener('abort', stop);
  try {
    signal.throwIfAborted();
    return await Promise.race([check.look(patient, AbortSignal.any([signal, limit.signal])), late.promise]);
  } catch (error) {
    // Whoever wants to stop is not kept waiting for the other checks.
    signal.throwIfAborted();
    return fault(`failed: ${reasonOf(error)}`, 'This was not expected: please report it.');
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

/** The innermost reason, in one line: what wraps it says only that something failed. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  if (error.cause !== undefined) return reasonOf(error.cause);
  const code = 'code' in error && typeof error.code === 'string' ? `${error.code}: ` : '';
  return `${error.message.startsWith(code) ? '' : code}${error.message}`.replaceAll(/\s+/g, ' ');
}
