/** People of a real process on a fast clock, and the messages that they get, with the service's time. */
import assert from 'node:assert/strict';
import type { MailCatcher } from './mail-catcher.ts';
import type { Person } from './people.ts';
import type { ServiceProcess } from './service-process.ts';
import type { Answer } from './test-app.ts';

interface FastPerson extends Person {
  /** The service's time after the sign-up. */
  readonly now: number;
}

/** Signs up by mail. The zone has the time of day that is given, in whole hours, so that a day starts soon. */
export async function signUp(
  service: ServiceProcess,
  mail: MailCatcher,
  email: string,
  hour: number,
): Promise<FastPerson> {
  let session = '';
  const ask = async (method: string, path: string, payload?: object, token = session): Promise<Answer> => {
    const headers = {
      ...(payload && { 'content-type': 'application/json' }),
      ...(token && { authorization: `Bearer ${token}` }),
    };
    const answer = await fetch(new URL(path, service.baseUrl), {
      method,
      headers,
      ...(payload && { body: JSON.stringify(payload) }),
    });
    return { status: answer.status, body: await answer.json(), headers: Object.fromEntries(answer.headers) } as Answer;
  };
  await ask('POST', '/v1/auth/email/request', { email });
  const code = /\b(\d{6})\b/.exec((await mail.next()).raw.split('\r\n\r\n').slice(1).join())?.[1];
  const { user_id: userId, session_token } = (await ask('POST', '/v1/auth/email/verify', { email, code })).body.data;
  session = session_token;
  const { headers } = await ask('GET', '/v1/me');
  const now = Date.parse(String(headers['x-service-clock']).split(' ')[0] ?? '');
  const offset = ((hour - new Date(now).getUTCHours() + 36) % 24) - 12;
  const timezone = `Etc/GMT${offset > 0 ? '-' : '+'}${Math.abs(offset)}`;
  assert.equal((await ask('PATCH', '/v1/me', { timezone, display_name: email.split('@')[0] })).status, 200);
  return { email, userId, sessionToken: session, ask, now };
}
