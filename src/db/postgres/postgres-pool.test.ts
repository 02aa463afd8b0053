import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { type TestContext, test } from 'node:test';
import type pg from 'pg';
import { createLogger } from '../../lib/logger.ts';
import { PostgresPool } from './postgres-pool.ts';

/** A pool of three, and a server that refuses a connection where it has no more room. */
function openPool({ mock }: TestContext, room: number) {
  mock.timers.enable({ apis: ['setTimeout'] });
  const server = { room, attempts: 0, open: 0 };
  class Client extends EventEmitter {
    readonly _queryable = true;
    readonly connection = { stream: { destroy: () => undefined } };
    getTransactionStatus = () => 'I';
    ref = () => undefined;
    unref = () => undefined;

    connect(callback: (error?: Error) => void): void {
      server.attempts += 1;
      const isFull = server.open >= server.room;
      if (!isFull) server.open += 1;
      const refusal = Object.assign(new Error('too many connections'), { code: '53300' });
      process.nextTick(callback, isFull ? refusal : undefined);
    }

    end(callback: () => void): void {
      server.open -= 1;
      process.nextTick(callback);
    }
  }
  const options = { Client, max: 3 } as unknown as pg.PoolConfig;
  return {
    pool: new PostgresPool(options, createLogger('silent')),
    server,
    pass: (ms: number) => mock.timers.tick(ms),
  };
}

/** Whether the caller has a connection once everything that can happen has happened. */
async function settles(work: Promise<unknown>): Promise<boolean> {
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  work.then(settle, settle);
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
  return isSettled;
}

test('a server without room is asked for no connection for five seconds, and then for as many as ever, each time', async (t) => {
  const { pool, server, pass } = openPool(t, 1);
  const first = await pool.acquire();
  const waiting = [pool.acquire()];
  assert.deepEqual([await settles(waiting[0] as Promise<unknown>), server.attempts], [false, 2]);
  server.room = 2;
  pass(4_999);
  waiting.push(pool.acquire());
  assert.deepEqual([await settles(waiting[1] as Promise<unknown>), server.attempts], [false, 2]);
  pass(1);
  const second = pool.acquire();
  assert.deepEqual([await settles(second), server.attempts], [true, 3]);
  // It is full again, with the two connections that this process has. Whoever waits has asked once more.
  waiting.push(pool.acquire());
  assert.deepEqual([await settles(waiting[2] as Promise<unknown>), server.attempts], [false, 6]);
  server.room = 3;
  pass(5_000);
  const third = pool.acquire();
  assert.deepEqual([await settles(third), server.attempts], [true, 7]);
  pool.release(first.client, true);
  const releasing = [second, third, ...waiting].map(async (given) => pool.release((await given).client, true));
  assert.ok(await settles(Promise.all(releasing)));
  assert.deepEqual([pool.totalCount, pool.waitingCount], [3, 0]);
  await pool.close();
});

test('where this process has no connection at all, a caller is told at once that the server has no room', async (t) => {
  const { pool, server } = openPool(t, 0);
  const asked = pool.acquire();
  assert.ok(await settles(asked));
  await assert.rejects(asked, { code: '53300' });
  server.room = 1;
  const given = pool.acquire();
  assert.ok(await settles(given));
  pool.release((await given).client, true);
  await pool.close();
});
