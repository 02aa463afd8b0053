/** The interface of the doctor's checks, and how a check is run. */
import type { Config, SettingName } from '../../config.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';

export interface Finding {
  readonly verdict: 'ok' | 'warning' | 'fault';
  /** What was found, in one sentence. Never contains a secret. */
  readonly says: string;
  readonly remedy?: string;
}

export const fine = (says: string): Finding => ({ verdict: 'ok', says });
export const warning = (says: string, remedy: string): Finding => ({ verdict: 'warning', says, remedy });
export const fault = (says: string, remedy: string): Finding => ({ verdict: 'fault', says, remedy });

/** What a check may use. A wrong setting is unset in `config`, and the checks that name it are skipped. */
export interface DoctorContext {
  readonly config: Config;
  readonly version: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface Check {
  readonly name: string;
  /** The check is skipped where one of these settings is wrong. */
  readonly settings: readonly SettingName[];
  /** The default is 15 seconds. */
  readonly limitMs?: number;
  /** Undefined where the check does not apply to this installation. An error is reported as a fault. */
  run(context: DoctorContext, signal: AbortSignal): Promise<Finding | undefined>;
}

const LIMIT_MS = 15_000;

export async function runCheck(
  check: Check,
  context: DoctorContext,
  signal: AbortSignal,
): Promise<Finding | undefined> {
  const limitMs = check.limitMs ?? LIMIT_MS;
  const late = Promise.withResolvers<Finding>();
  const limit = new AbortController();
  const timer = setTimeout(() => {
    late.resolve(
      fault(`took longer than ${limitMs / 1_000} s`, 'See whether the server that it asks answers, and try again.'),
    );
    limit.abort();
  }, limitMs);
  const stop = () => late.reject(signal.reason);
  signal.addEventListener('abort', stop);
  try {
    signal.throwIfAborted();
    return await Promise.race([check.run(context, AbortSignal.any([signal, limit.signal])), late.promise]);
  } catch (error) {
    // An operator who stops the doctor does not wait for the remaining checks.
    signal.throwIfAborted();
    return fault(`failed: ${reasonOf(error)}`, 'This is a bug. Please report it.');
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

/** The innermost cause in one line: the errors around it only say that something failed. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  if (error.cause !== undefined) return reasonOf(error.cause);
  const code = 'code' in error && typeof error.code === 'string' ? `${error.code}: ` : '';
  return `${error.message.startsWith(code) ? '' : code}${error.message}`.replaceAll(/\s+/g, ' ');
}
