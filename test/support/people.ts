/** People who use the service, for tests that need one. */
import assert from 'node:assert/strict';
import { newId } from '../../src/lib/ids.ts';
import type { Answer, Bed } from './bed.ts';

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

export interface Person {
  readonly email: string;
  readonly userId: string;
  readonly sessionToken: string;
  /** A request with this person's session, or with another token. */
  ask(method: Method, url: string, payload?: object, token?: string): Promise<Answer>;
}

/** Asks for a code and reads it from the mail. */
export async function receiveCode(bed: Bed, email: string): Promise<string> {
  const { status } = await bed.ask({ method: 'POST', url: '/v1/auth/email/request', payload: { email } });
  assert.equal(status, 200);
  // Several people may sign in at once; an address written in an unusual way is alone.
  const mail = bed.printed.findLast((text) => text.includes(`Mail to ${email} `)) ?? bed.printed.at(-1);
  const code = /Your sign-in code is (\d{6})/.exec(mail ?? '')?.[1];
  assert.ok(code, 'no code was mailed');
  return code;
}

export const verifyCode = (bed: Bed, email: string, code: string): Promise<Answer> =>
  bed.ask({ method: 'POST', url: '/v1/auth/email/verify', payload: { email, code } });

/** Signs in by email; the first time makes the account. */
export async function signIn(bed: Bed, email = `person-${newId()}@example.org`): Promise<Person> {
  const { status, body } = await verifyCode(bed, email, await receiveCode(bed, email));
  assert.equal(status, 200);
  assert.equal(body.data.status, 'authenticated');
  return personWith(bed, email, body.data.user_id, body.data.session_token);
}

export function personWith(bed: Bed, email: string, userId: string, sessionToken: string): Person {
  return {
    ...{ email, userId, sessionToken },
    ask: (method, url, payload, token = sessionToken) =>
      bed.ask({ method, url, headers: { authorization: `Bearer ${token}` }, ...(payload && { payload }) }),
  };
}
