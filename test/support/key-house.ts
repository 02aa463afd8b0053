/** One database whose keys change, and services on it that come and go. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateSync } from 'otplib';
import { type Bed, startBed } from './bed.ts';
import { runCommand } from './command-line.ts';
import { createDatabase, type EngineName, type TestDatabase } from './engines.ts';
import { FakeClock } from './fake-clock.ts';
import { type Person, receiveCode, verifyCode } from './people.ts';

export const [FIRST, SECOND] = ['the first key, 32 characters and more', 'the second key, 32 characters and more'];

/** With a comma in it, a key is written as JSON. */
export const FORMER = JSON.stringify([FIRST]);

export async function openHouse(
  engine: EngineName,
  settings: Readonly<Record<string, string>> = {},
  clock = new FakeClock(),
) {
  const database = await createDatabase(engine);
  const environment = (more: Readonly<Record<string, string>>) => ({
    ...{ DATABASE_URL: database.url, ...(database.folder && { DATA_DIR: database.folder }) },
    ...settings,
    ...more,
  });
  return {
    ...{ database, clock },
    serve: (more: Readonly<Record<string, string>> = { SECRET_KEY: '' }) =>
      startBed(engine, { databaseUrl: database.url, clock, settings: environment(more) }),
    rotate: (more: Readonly<Record<string, string>> = {}, signal = new AbortController().signal) =>
      runCommand(['keys', 'rotate', '--json'], environment(more), { clock, signal }),
    command: (words: readonly string[], more: Readonly<Record<string, string>> = {}) =>
      runCommand(words, environment(more), { clock }),
    [Symbol.asyncDispose]: () => database.drop(),
  };
}

export const appCode = ({ clock }: Bed, secret: string) =>
  generateSync({ secret, epoch: Math.floor(clock.now().getTime() / 1_000) });

export async function turnOn(bed: Bed, person: Person): Promise<{ secret: string; recovery: string[] }> {
  const { secret } = (await person.ask('POST', '/v1/auth/mfa/enroll')).body.data;
  const { body } = await person.ask('POST', '/v1/auth/mfa/enroll/confirm', { code: appCode(bed, secret) });
  return { secret, recovery: body.data.recovery_codes };
}

/** Signs in with a second factor, and says how that went. */
export async function prove(bed: Bed, email: string, code: string): Promise<number> {
  const { body } = await verifyCode(bed, email, await receiveCode(bed, email));
  const payload = { mfa_token: body.data.mfa_token, code };
  return (await bed.ask({ method: 'POST', url: '/v1/auth/mfa/verify', payload })).status;
}

export const keysIn = ({ folder = '' }: TestDatabase, name = 'secret.key') =>
  readFileSync(join(folder, name), 'utf8').split('\n').filter(Boolean);
