/** The billing provider, as far as a test needs one. */
import { insertUser } from '../../src/accounts/users.store.ts';
import { newId } from '../../src/lib/ids.ts';
import type { Cast, ProviderEvent } from './billing-year.ts';
import type { Answer, TestApp } from './test-app.ts';

export const SECRET = 'Bearer what was agreed on';
export const BILLING = { BILLING_WEBHOOK_SECRET: SECRET };
export const WEBHOOK = '/v1/webhooks/billing';

export const bodyOf = (event: object): string => JSON.stringify({ api_version: '1.0', event });

/** Sends a body as the provider does. */
export const send = (app: TestApp, payload: string | Buffer, headers: Record<string, string> = {}): Promise<Answer> =>
  app.ask({
    method: 'POST',
    url: WEBHOOK,
    payload,
    headers: { authorization: SECRET, 'content-type': 'application/json', ...headers },
  });

/** Sends an event. Returns what the service did with it. */
export async function sendEvent(app: TestApp, event: ProviderEvent): Promise<string> {
  const { status, body } = await send(app, bodyOf(event));
  if (status !== 200) throw new Error(`The event was refused: ${JSON.stringify(body)}`);
  return body.data.result;
}

/** Two people who never sign in, and a name that nobody knows yet. */
export async function castFor(app: TestApp): Promise<Cast> {
  const make = async () => {
    const user = await insertUser(app.db, { email: null, displayName: null }, app.clock.now());
    if (!user) throw new Error('no account was made');
    return user.id;
  };
  return { ada: await make(), grace: await make(), anonymous: `$RCAnonymousID:${newId()}` };
}

/** The stored plan of the account, even if it has expired. */
export async function writtenPlan(app: TestApp, userId: string): Promise<readonly [string, string | null]> {
  const account = app.db.selectFrom('users').select(['plan', 'plan_expires_at']).where('id', '=', userId);
  const { plan, plan_expires_at } = await account.executeTakeFirstOrThrow();
  return [plan, plan_expires_at?.toISOString().replace('T00:00:00.000Z', '') ?? null];
}
