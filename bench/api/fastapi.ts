/** FastAPI with uvicorn and asyncpg, if this machine has them: `apt-get install python3-fastapi python3-uvicorn python3-asyncpg`. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { POOL_SIZE } from '../../src/db/postgres/postgres.ts';
import { freePort } from '../../test/support/free-port.ts';
import { waitUntil } from '../../test/support/wait-until.ts';
import { STATEMENTS } from './bare-postgres.ts';
import type { Server } from './servers.ts';

const PYTHONS = ['/usr/bin/python3', 'python3'];
const VERSIONS =
  'import fastapi, uvicorn, asyncpg; print(fastapi.__version__, uvicorn.__version__, asyncpg.__version__)';
export const MISSING =
  'It needs `apt-get install python3-fastapi python3-uvicorn python3-asyncpg` (or the same three with pip).';

export interface Python {
  readonly path: string;
  readonly versions: string;
}

export function findPython(): Python | undefined {
  for (const path of PYTHONS) {
    const { status, stdout } = spawnSync(path, ['-c', VERSIONS], { encoding: 'utf8' });
    const [fastapi, uvicorn, asyncpg] = status === 0 ? stdout.trim().split(' ') : [];
    if (fastapi) return { path, versions: `${fastapi} (uvicorn ${uvicorn}, asyncpg ${asyncpg})` };
  }
  return undefined;
}

export async function startFastApi({ path }: Python, databaseUrl: string): Promise<Server> {
  const port = await freePort();
  const flags = ['--host', '127.0.0.1', '--port', String(port), '--no-access-log', '--log-level', 'warning'];
  const child = spawn(path, ['-m', 'uvicorn', 'fastapi_peer:app', ...flags], {
    cwd: join(import.meta.dirname, '../peers'),
    env: {
      ...process.env,
      PYTHONDONTWRITEBYTECODE: '1',
      PEER_SQL: JSON.stringify(STATEMENTS),
      PEER_DATABASE: databaseUrl,
      PEER_POOL_SIZE: String(POOL_SIZE),
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const readCpu = async () => (await fetch(`http://127.0.0.1:${port}/cpu`)).json() as Promise<number>;
  await waitUntil(() => readCpu().then(Number.isFinite, () => false));
  return {
    name: 'FastAPI',
    port,
    databaseUrl,
    cpuSeconds: readCpu,
    stop: async () => {
      const exited = once(child, 'exit');
      child.kill();
      await exited;
    },
  };
}
