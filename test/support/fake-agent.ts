/** An assistant whose API answers what a test says, for tests of single tools. */
import { createHash } from 'node:crypto';
import type { ApiTask } from '../../src/agents/api-task.ts';
import { ConsentCodes } from '../../src/agents/consent-codes.ts';
import type { Agent } from '../../src/agents/define-tool.ts';

export interface FakeCall {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into what a tool sends.
  readonly payload?: any;
  readonly idempotencyKey?: string | undefined;
}

interface FakeAnswer {
  readonly data: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export const TASK_ID = '01960000-0000-7000-8000-00000000a1b2';

/** The same id with another end. */
export const taskIdEnding = (end: string): string => TASK_ID.slice(0, -end.length) + end;

export const fakeTask = (fields: Partial<ApiTask> = {}): ApiTask => ({
  id: TASK_ID,
  title: 'Pills',
  notes: null,
  kind: 'todo',
  due_at: null,
  has_time: true,
  mode: 'escalate',
  status: 'open',
  accepted_by_owner: true,
  escalation_stage: 0,
  nudge_count: 0,
  next_fire_at: null,
  completed_at: null,
  skipped_at: null,
  written_by: { kind: 'you', name: null },
  kind_written_by: { kind: 'you', name: null },
  ...fields,
});

const hash = (...parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url');

/** It is Thursday, 5 March 2026, 10:00 in Berlin. `calls` are those that the API got. */
export function fakeAgent(answer: (call: FakeCall) => FakeAnswer | undefined, fields: Partial<Agent> = {}) {
  const calls: FakeCall[] = [];
  const agent = {
    api: async ({ method = 'GET', url, ...rest }: { method?: string; url: string }) => {
      const { pathname: path, searchParams } = new URL(url, 'http://localhost');
      const call: FakeCall = { method, path, query: Object.fromEntries(searchParams), ...rest };
      calls.push(call);
      const { data, headers = {} } = answer(call) ?? { data: [] };
      return { data, headers };
    },
    zone: 'Europe/Berlin',
    now: new Date('2026-03-05T09:00:00Z'),
    canRead: true,
    caller: 'ada',
    codes: new ConsentCodes({ hash, hashes: (...parts) => [hash(...parts)] }),
    ask: undefined,
    dayStart: undefined,
    quietHours: undefined,
    ceiling: null,
    ...fields,
  } as Agent;
  return { agent, calls };
}
