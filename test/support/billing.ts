/** The billing provider, as far as a test needs one. */
import { insertUser } from '../../src/accounts/users.store.ts';
import { newId } from '../../src/lib/ids.ts';
import type { Answer, Bed } from './bed.ts';
import type { Cast, ProviderEvent } from './billing-year.ts';

export const SECRET = 'Bearer what was agreed on';
export const BILLING = { BILLING_WEBHOOK_SECRET: SECRET };
export const WEBHOOK = '/v1/webhooks/billing';

export const bodyOf = (event: object): string => JSON.stringify({ api_version: '1.0', event });

/** Sends a body as the provider does. */
export const send = (bed: Bed, payload: string | Buffer, headers: Record<string, string> = {}): Promise<Answer> =>
  bed.ask({
    ...{ method: 'POST', url: WEBHOOK, payload },
    headers: { authorization: SECRET, 'content-type': 'application/json', ...headers },
  });

/** Tells an event; returns what became of it. */
export async function tell(bed: Bed, event: ProviderEvent): Promise<string> {
  const { status, body } = await send(bed, bodyOf(event));
  if (status !== 200) throw new Error(`The event was refused: ${JSON.stringify(body)}`);
  return body.data.result;
}

/** Two people who never sign in, and a name that nobody knows yet. */
export async function castFor(bed: Bed): Promise<Cast> {
  const make = async () => {
    const user = await insertUser(bed.db, { email: null, displayName: null }, bed.clock.now());
    if (!user) throw new Error('no account was made');
    return user.id;
  };
  return { ada: await make(), grace: await make(), anonymous: `$RCAnonymousID:${newId()}` };
}

/** What is written in the account, whatever the time. */
export async function writtenPlan(bed: Bed, userId: string): Promise<readonly [string, string | null]> {
  const account = bed.db.selectFrom('users').select(['plan', 'plan_expires_at']).where('id', '=', userId);
  const { plan, plan_expires_at } = await account.executeTakeFirstOrThrow();
  return [plan, plan_expires_at?.toISOString().replace('T00:00:00.000Z', '') ?? null];
}
