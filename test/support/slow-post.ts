/** A request that sends its body after the service has read its head, like a client far away. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';

export async function postSlowly(url: string, body: object, headers: Readonly<Record<string, string>> = {}) {
  const all = { 'content-type': 'application/json', expect: '100-continue', ...headers };
  const sending = request(url, { method: 'POST', headers: all });
  sending.flushHeaders();
  await once(sending, 'continue');
  sending.end(JSON.stringify(body));
  const [answer] = (await once(sending, 'response')) as [IncomingMessage];
  answer.resume();
  await once(answer, 'end');
  return { status: answer.statusCode, requestId: answer.headers['x-request-id'] };
}
