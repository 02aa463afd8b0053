/** One database, with encryption keys that change between the services and commands that run on it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateSync } from 'otplib';
import { runCommand, waitForWrites } from './command-line.ts';
import { createDatabase, type EngineName, runOn, type TestDatabase } from './engines.ts';
import { FakeClock } from './fake-clock.ts';
import { type Person, receiveCode, verifyCode } from './people.ts';
import { startTestApp, type TestApp } from './test-app.ts';
import { waitUntil } from './wait-until.ts';

export const [FIRST, SECOND] = ['the first key, 32 characters and more', 'the second key, 32 characters and more'];

/** JSON, because a key may contain a comma. */
export const FORMER = JSON.stringify([FIRST]);

export async function openDeployment(
  engine: EngineName,
  settings: Readonly<Record<string, string>> = {},
  clock = new FakeClock(),
) {
  const database = await createDatabase(engine);
  const environment = (more: Readonly<Record<string, string>>) => ({
    DATABASE_URL: database.url,
    ...(database.folder && { DATA_DIR: database.folder }),
    ...settings,
    ...more,
  });
  let services = 0;
  const listSessions = () =>
    runOn(
      database.url,
      "select pid from pg_stat_activity where datname = current_database() and application_name like 'crescendo%'",
    );
  return {
    database,
    clock,
    serve: async (more: Readonly<Record<string, string>> = { SECRET_KEY: '' }): Promise<TestApp> => {
      const app = await startTestApp(engine, { databaseUrl: database.url, clock, settings: environment(more) });
      await waitForWrites(app);
      services += 1;
      const close = async () => {
        await app.close();
        services -= 1;
        // PostgreSQL lists a session for a moment after its client has closed it, and commands look at this list.
        if (engine === 'postgres' && services === 0) await waitUntil(async () => (await listSessions()).length === 0);
      };
      return { ...app, close, [Symbol.asyncDispose]: close };
    },
    rotate: (more: Readonly<Record<string, string>> = {}, signal = new AbortController().signal) =>
      runCommand(['keys', 'rotate', '--json'], environment(more), { clock, signal }),
    command: (words: readonly string[], more: Readonly<Record<string, string>> = {}) =>
      runCommand(words, environment(more), { clock }),
    [Symbol.asyncDispose]: () => database.drop(),
  };
}

export const totpCode = ({ clock }: TestApp, secret: string) =>
  generateSync({ secret, epoch: Math.floor(clock.now().getTime() / 1_000) });

export async function enableSecondFactor(
  app: TestApp,
  person: Person,
): Promise<{ secret: string; recovery: string[] }> {
  const { secret } = (await person.ask('POST', '/v1/auth/mfa/enroll')).body.data;
  const { body } = await person.ask('POST', '/v1/auth/mfa/enroll/confirm', { code: totpCode(app, secret) });
  return { secret, recovery: body.data.recovery_codes };
}

/** Returns the status of the second step. */
export async function signInWithSecondFactor(app: TestApp, email: string, code: string): Promise<number> {
  const { body } = await verifyCode(app, email, await receiveCode(app, email));
  const payload = { mfa_token: body.data.mfa_token, code };
  return (await app.ask({ method: 'POST', url: '/v1/auth/mfa/verify', payload })).status;
}

export const readKeyFile = ({ folder = '' }: TestDatabase, name = 'secret.key') =>
  readFileSync(join(folder, name), 'utf8').split('\n').filter(Boolean);
