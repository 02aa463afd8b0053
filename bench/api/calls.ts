/** The calls that are compared: what is sent, what the answer must be, and which rows must exist afterwards. */
import assert from 'node:assert/strict';
import { ACCOUNTS, type Account, CHANGED_TASKS, COMPLETED_TASKS, LISTED_TASKS, type Seed } from './seed.ts';

export interface Call {
  readonly id: string;
  readonly name: string;
  /** Request number `count` of the connection with this number. */
  request(seed: Seed, connection: number, count: number): string;
  /** Throws unless the answer is the one that every server must give. */
  check(data: unknown, seed: Seed): void;
  /** Counts rows: each request adds one to every count. None for a read. */
  readonly rows?: string;
  /** How many requests there can be in all rounds together. */
  readonly most?: number;
}

const get = (path: string, { authorization }: Account): string =>
  `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: ${authorization}\r\n\r\n`;

const post = (path: string, { authorization }: Account, body: string): string =>
  `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: ${authorization}\r\n` +
  `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

const NEW_TASK = JSON.stringify({ title: 'Take the pills', due_at: '2031-05-04T18:00:00Z', has_time: true });

const accountOf = ({ accounts }: Seed, connection: number): Account => accounts[connection % ACCOUNTS] as Account;

const lengthOf = (data: unknown): number => (Array.isArray(data) ? data.length : -1);

const CREATED = `select count(*) as tasks,
  (select count(*) from timeline where kind = 'created') as entries,
  (select coalesce(sum(open), 0) from task_counts) + (select coalesce(sum(open), 0) from task_count_shards) as counted from tasks`;
const COMPLETED = `select count(*) as tasks,
  (select count(*) from timeline where kind = 'done') as entries,
  (select count(*) from outcomes) as outcomes,
  (select coalesce(sum(done), 0) from task_counts) + (select coalesce(sum(done), 0) from task_count_shards) as counted from tasks where status = 'done'`;

const checkCreated = (data: unknown) =>
  assert.partialDeepStrictEqual(data, {
    title: 'Take the pills',
    due_at: '2031-05-04T18:00:00.000Z',
    next_fire_at: '2031-05-04T18:00:00.000Z',
    status: 'open',
  });

export const CALLS: readonly Call[] = [
  {
    id: 'read',
    name: 'read one task',
    request(seed, connection, count) {
      const account = accountOf(seed, connection);
      return get(`/v1/tasks/${account.taskIds[count % LISTED_TASKS]}`, account);
    },
    check: (data, { accounts }) => assert.partialDeepStrictEqual(data, { id: accounts[0]?.taskIds[0], status: 'open' }),
  },
  {
    id: 'list-50',
    name: 'list of 50',
    request: (seed, connection) => get('/v1/tasks?limit=50', accountOf(seed, connection)),
    check: (data) => assert.equal(lengthOf(data), 50),
  },
  {
    id: 'list-1000',
    name: 'list of 1,000',
    request: (seed, connection) => get('/v1/tasks?limit=1000', accountOf(seed, connection)),
    check: (data) => assert.equal(lengthOf(data), 1_000),
  },
  {
    id: 'sync',
    name: `sync with ${CHANGED_TASKS} changes`,
    request: (seed, connection) => get(`/v1/sync?since=${seed.since}`, accountOf(seed, connection)),
    check: (data) => assert.equal(lengthOf((data as { tasks?: unknown }).tasks), CHANGED_TASKS),
  },
  {
    id: 'create',
    name: 'create',
    request: (seed, connection) => post('/v1/tasks', accountOf(seed, connection), NEW_TASK),
    check: checkCreated,
    rows: CREATED,
  },
  {
    id: 'create-one-account',
    name: 'create, all for one account',
    request: (seed) => post('/v1/tasks', accountOf(seed, 0), NEW_TASK),
    check: checkCreated,
    rows: CREATED,
  },
  {
    id: 'complete',
    name: 'complete',
    request(seed, connection, count) {
      const account = accountOf(seed, connection);
      return post(`/v1/tasks/${account.taskIds[LISTED_TASKS + count]}/complete`, account, '{}');
    },
    check: (data) => assert.partialDeepStrictEqual(data, { status: 'done', next_fire_at: null }),
    rows: COMPLETED,
    most: COMPLETED_TASKS,
  },
];
