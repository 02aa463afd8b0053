/**
 * The request that the running code works on: the fields of its log lines, and whether long work gives way to it. Every
 * layer needs these two, so no signature carries them.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

/** Fields of every line that any part of the service logs while it handles a request. */
export interface LogContext {
  readonly request_id: string;
  readonly task_id?: string;
  /** Set once the caller is authenticated. */
  user_id?: string;
  /** Set if the request is traced. */
  trace_id?: string;
}

/** What `next-turn.ts` knows about the work of a request. */
export interface RequestWork {
  readonly ageMs: () => number;
  /** The time since its last turn began. Absent until it asks for one. */
  turnMs?: () => number;
  isOver: boolean;
}

interface CurrentRequest {
  readonly log?: LogContext;
  /** An in-process API call is part of the work of the outer request. */
  readonly work?: RequestWork;
}

const current = new AsyncLocalStorage<CurrentRequest>();

export const currentRequest = (): CurrentRequest => current.getStore() ?? {};

export const runInRequest = (known: CurrentRequest, run: () => void): void =>
  current.run({ ...current.getStore(), ...known }, run);
