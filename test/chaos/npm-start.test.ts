/** `npm start`, run for real: the service must not outlive npm, whose scripts run in a shell. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { onlyOn } from '../support/engines.ts';
import { waitUntil } from '../support/wait-until.ts';

const PROJECT = join(import.meta.dirname, '../..');

async function startWithNpm() {
  await using stack = new AsyncDisposableStack();
  const folder = stack.adopt(mkdtempSync(join(tmpdir(), 'crescendo-test-')), (path) =>
    rmSync(path, { recursive: true, force: true }),
  );
  const port = await findFreePort();
  const npm = spawn('npm', ['start'], {
    cwd: PROJECT,
    env: { ...process.env, PORT: String(port), HOST: '127.0.0.1', DATA_DIR: folder, LOG_LEVEL: 'silent' },
    stdio: 'ignore',
    // A process group of its own, so that even a failing test ends every process.
    detached: true,
  });
  const exit = once(npm, 'exit');
  stack.defer(() => endGroup(npm.pid));
  await waitUntil(() =>
    fetch(`http://127.0.0.1:${port}/health`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  const owned = stack.move();
  return { npm, port, exit, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function findFreePort(): Promise<number> {
  await using server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

function endGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, 'SIGKILL');
  } catch (error) {
    // No process of the group is left.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function isRefused(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return false;
  } catch {
    return true;
  } finally {
    socket.destroy();
  }
}

onlyOn('sqlite', () => {
  test('SIGTERM to the process of npm stops the service, frees its port and ends npm with 0', async () => {
    await using started = await startWithNpm();
    started.npm.kill('SIGTERM');
    await waitUntil(() => isRefused(started.port));
    assert.deepEqual(await started.exit, [0, null]);
  });

  test('the service stops after npm was killed', async () => {
    await using started = await startWithNpm();
    started.npm.kill('SIGKILL');
    await waitUntil(() => isRefused(started.port));
  });
});
