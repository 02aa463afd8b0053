/** The whole service in this process, on a SQLite file that is deleted at the end unless DATABASE_URL is given. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Parts } from '../src/compose/parts.ts';
import { compose, type Service } from '../src/compose/service.ts';
import { loadConfig } from '../src/config.ts';
import { systemClock } from '../src/lib/clock.ts';
import { newId } from '../src/lib/ids.ts';
import { createLogger } from '../src/lib/logger.ts';

export interface BenchService extends Service {
  /** Creates an account and signs it in. */
  signIn(): Promise<BenchUser>;
}

export interface BenchUser {
  readonly id: string;
  readonly headers: { readonly authorization: string };
}

export async function startBenchService(
  settings: Readonly<Record<string, string>> = {},
  extra: Parts['extra'] = {},
): Promise<BenchService> {
  const folder = mkdtempSync(join(tmpdir(), 'crescendo-bench-'));
  const mails: string[] = [];
  const config = loadConfig({
    DATABASE_URL: `sqlite:${join(folder, 'bench.db')}`,
    DATA_DIR: folder,
    SECRET_KEY: 'x'.repeat(32),
    LOG_LEVEL: 'silent',
    RATE_LIMIT_PER_MINUTE: '90000000',
    COST_BUDGET_PER_MINUTE: '90000000',
    MAX_OPEN_TASKS_PER_ACCOUNT: '90000000',
    ...settings,
  });
  const clock = systemClock();
  const service = await compose({
    config,
    version: '0.1.0',
    clock,
    wallClock: clock,
    logger: createLogger('silent'),
    print: (text) => void mails.push(text),
    extra,
  });
  return {
    ...service,
    signIn: () => signIn(service, mails),
    close: async () => {
      await service.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function signIn({ app }: Service, mails: readonly string[]): Promise<BenchUser> {
  const email = `bench-${newId()}@example.org`;
  await app.inject({ method: 'POST', url: '/v1/auth/email/request', payload: { email } });
  const code = /is (\d{6})/.exec(mails.find((mail) => mail.includes(email)) ?? '')?.[1];
  const response = await app.inject({ method: 'POST', url: '/v1/auth/email/verify', payload: { email, code } });
  const { user_id, session_token } = response.json().data;
  return { id: user_id, headers: { authorization: `Bearer ${session_token}` } };
}
