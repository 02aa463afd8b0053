/** Users of the service, for tests. */
import assert from 'node:assert/strict';
import { insertUser } from '../../src/accounts/users.store.ts';
import { newId } from '../../src/lib/ids.ts';
import { hashToken, newToken } from '../../src/lib/secrets.ts';
import { insertSession } from '../../src/sign-in/sessions.store.ts';
import type { EngineName } from './engines.ts';
import { type Answer, startTestApp, type TestApp } from './test-app.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Person {
  readonly email: string;
  readonly userId: string;
  readonly sessionToken: string;
  /** Sends a request with this person's session, or with another token. */
  ask(method: Method, url: string, payload?: object, token?: string): Promise<Answer>;
}

/** Requests a sign-in code and reads it from the mail. */
export async function receiveCode(app: TestApp, email: string): Promise<string> {
  const { status } = await app.ask({ method: 'POST', url: '/v1/auth/email/request', payload: { email } });
  assert.equal(status, 200);
  // Several people may sign in at once. An address in unusual spelling is not found, so its mail is the last.
  // A notice to the same address may have come after it.
  const codes = app.printed.filter((text) => text.includes('Your sign-in code is'));
  const mail = codes.findLast((text) => text.includes(`Mail to ${email} `)) ?? codes.at(-1);
  const code = /Your sign-in code is (\d{6})\./.exec(mail ?? '')?.[1];
  assert.ok(code, 'no code was mailed');
  return code;
}

export const verifyCode = (app: TestApp, email: string, code: string, userAgent = 'a test'): Promise<Answer> => {
  const headers = { 'user-agent': userAgent };
  return app.ask({ method: 'POST', url: '/v1/auth/email/verify', payload: { email, code }, headers });
};

/** Signs in by email. The first sign-in creates the account. */
export async function signIn(app: TestApp, email = `person-${newId()}@example.org`): Promise<Person> {
  const { status, body } = await verifyCode(app, email, await receiveCode(app, email));
  assert.equal(status, 200);
  assert.equal(body.data.status, 'authenticated');
  return personWith(app, email, body.data.user_id, body.data.session_token);
}

let lastCreatedMs = 0;

/**
 * Writes an account and a session to the database, for tests that are not about signing in. Accounts made one after
 * another have ascending ids, which is not certain for accounts of the same millisecond.
 */
export async function createPerson(app: TestApp, email = `person-${newId()}@example.org`): Promise<Person> {
  while (Date.now() === lastCreatedMs);
  const now = app.clock.now();
  const user = await insertUser(app.db, { email, displayName: null }, now);
  lastCreatedMs = Date.now();
  assert.ok(user, 'there is such an account already');
  return personWith(app, email, user.id, await openSession(app, user.id));
}

/** As the operator or the identity provider does. */
export async function makeAdmin(
  { db }: Pick<TestApp, 'db'>,
  { userId }: Pick<Person, 'userId'>,
  column: 'is_admin' | 'admin_by_provider' = 'is_admin',
): Promise<void> {
  await db
    .updateTable('users')
    .set({ [column]: true })
    .where('id', '=', userId)
    .execute();
}

/** Starts the service with one account, Ada's. */
export async function startWithAda(engine: EngineName) {
  const app = await startTestApp(engine);
  return { app, ada: await createPerson(app), [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

export async function openSession({ db, clock }: TestApp, userId: string): Promise<string> {
  const token = newToken('st_');
  const now = clock.now();
  const expiresAt = new Date(now.getTime() + 90 * 86_400_000);
  const session = { id: newId(), user_id: userId, token_hash: hashToken(token) };
  await insertSession(db, { ...session, created_at: now, expires_at: expiresAt, proven_at: now });
  return token;
}

/** As if the person had just proven the sign-in of every session again, where that is not what the test is about. */
export async function renewSignIn({ db, clock }: TestApp, { userId }: Person): Promise<void> {
  await db.updateTable('sessions').set({ proven_at: clock.now() }).where('user_id', '=', userId).execute();
}

/** Proves the sign-in of this session again, by a mailed code. Returns the person with the new token of the session. */
export async function proveAgain(app: TestApp, { email, userId, ask }: Person): Promise<Person> {
  const { session_token } = (await verifyCode(app, email, await receiveCode(app, email))).body.data;
  assert.equal((await ask('POST', '/v1/auth/session/proof', { session_token })).status, 200);
  return personWith(app, email, userId, session_token);
}

export function personWith(app: TestApp, email: string, userId: string, sessionToken: string): Person {
  return {
    email,
    userId,
    sessionToken,
    ask: (method, url, payload, token = sessionToken) =>
      app.ask({ method, url, headers: { authorization: `Bearer ${token}` }, ...(payload && { payload }) }),
  };
}
