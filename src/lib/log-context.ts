/**
 * What every line logged on behalf of a request tells, without being told each time: whoever logs,
 * however deep, need not know that there is a request at all.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

export interface LogContext {
  readonly request_id: string;
  readonly task_id?: string;
  /** Set once somebody is found to be who they say. */
  user_id?: string;
  /** Set where the request is traced. */
  trace_id?: string;
}

const current = new AsyncLocalStorage<LogContext>();

export const withLogContext = (context: LogContext, run: () => void): void => current.run(context, run);

export const findLogContext = (): LogContext | undefined => current.getStore();
