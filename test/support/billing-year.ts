/**
 * A year of a billing provider's events: Ada tries, buys, fails to pay, comes back, changes her mind
 * more than once, and gives what she has to Grace.
 */
type Fields = Readonly<Record<string, unknown>>;

export interface ProviderEvent extends Fields {
  readonly id: string;
  readonly type: string;
  readonly event_timestamp_ms: number;
}

export const millis = (moment: string): number => Date.parse(moment.includes('T') ? moment : `${moment}T00:00:00Z`);

/** An event as the provider words it; dates are given as text. */
export function providerEvent(type: string, at: string, fields: Fields = {}, id = `${type} ${at}`): ProviderEvent {
  const written = Object.entries(fields).map(([name, value]) => [
    name,
    name.endsWith('_ms') && typeof value === 'string' ? millis(value) : value,
  ]);
  return {
    id,
    type,
    event_timestamp_ms: millis(at),
    environment: 'PRODUCTION',
    app_id: 'app',
    currency: 'EUR',
    ...Object.fromEntries(written),
  };
}

/** A period of a subscription: when it was bought, and when it ends. */
const period = (from: string, to: string) => ({ purchased_at_ms: from, expiration_at_ms: to });

export interface Cast {
  readonly ada: string;
  readonly grace: string;
  /** Ada's name before she signed up. It also makes the ids of this year unlike the ids of another cast. */
  readonly anonymous: string;
}

/** In the order in which it happened. */
export function billingYear({ ada, grace, anonymous: nameless }: Cast): readonly ProviderEvent[] {
  const monthly = { store: 'APP_STORE', original_transaction_id: `1000 of ${nameless}`, entitlement_ids: ['basic'] };
  const pro = { ...monthly, entitlement_ids: ['pro'] };
  const anonymous = { app_user_id: nameless, original_app_user_id: nameless, aliases: [nameless] };
  const asAda = { app_user_id: ada, original_app_user_id: nameless, aliases: [nameless, ada] };
  const asGrace = { app_user_id: grace, original_app_user_id: grace, aliases: [grace] };
  const lifetime = {
    ...asAda,
    store: 'PLAY_STORE',
    original_transaction_id: `GPA.1 of ${nameless}`,
    purchased_at_ms: '2026-11-20',
  };
  const [may, june, july] = [
    period('2026-04-09', '2026-05-09'),
    period('2026-05-14', '2026-06-14'),
    period('2026-06-14', '2026-07-14'),
  ];
  const october = period('2026-10-15', '2026-11-15');
  const year = [
    providerEvent('INITIAL_PURCHASE', '2026-03-02', {
      ...anonymous,
      ...monthly,
      ...period('2026-03-02', '2026-03-09'),
      period_type: 'TRIAL',
    }),
    providerEvent('SUBSCRIBER_ALIAS', '2026-03-05', asAda),
    providerEvent('RENEWAL', '2026-03-09', {
      ...asAda,
      ...monthly,
      ...period('2026-03-09', '2026-04-09'),
      is_trial_conversion: true,
    }),
    providerEvent('TEST', '2026-03-20', { app_user_id: ada }),
    providerEvent('NON_RENEWING_PURCHASE', '2026-03-21', {
      ...asAda,
      environment: 'SANDBOX',
      store: 'APP_STORE',
      original_transaction_id: '2',
      expiration_at_ms: null,
      entitlement_ids: ['everything'],
      purchased_at_ms: '2026-03-21',
    }),
    providerEvent('RENEWAL', '2026-04-09', { ...asAda, ...monthly, ...may }),
    providerEvent('BILLING_ISSUE', '2026-05-09', {
      ...asAda,
      ...monthly,
      ...may,
      grace_period_expiration_at_ms: '2026-05-20',
    }),
    providerEvent('CANCELLATION', '2026-05-09', { ...asAda, ...monthly, ...may, cancel_reason: 'BILLING_ERROR' }),
    providerEvent('RENEWAL', '2026-05-14', { ...asAda, ...monthly, ...june }),
    // Arrives after the renewal, which has overtaken it.
    providerEvent('EXPIRATION', '2026-05-14T00:00:05Z', { ...asAda, ...monthly, ...may }),
    providerEvent('CANCELLATION', '2026-06-01', { ...asAda, ...monthly, ...june, cancel_reason: 'UNSUBSCRIBE' }),
    providerEvent('UNCANCELLATION', '2026-06-03', { ...asAda, ...monthly, ...june }),
    providerEvent('PRODUCT_CHANGE', '2026-06-10', { ...asAda, ...pro, ...june, new_product_id: 'pro_monthly' }),
    providerEvent('RENEWAL', '2026-06-14', { ...asAda, ...pro, ...july }),
    providerEvent('SUBSCRIPTION_EXTENDED', '2026-06-20', { ...asAda, ...pro, ...july, expiration_at_ms: '2026-07-21' }),
    providerEvent('SUBSCRIPTION_PAUSED', '2026-07-10', {
      ...asAda,
      ...pro,
      ...july,
      expiration_at_ms: '2026-07-21',
      auto_resume_at_ms: '2026-09-01',
    }),
    providerEvent('EXPIRATION', '2026-07-21', {
      ...asAda,
      ...pro,
      ...july,
      expiration_at_ms: '2026-07-21',
      expiration_reason: 'SUBSCRIPTION_PAUSED',
    }),
    providerEvent('RENEWAL', '2026-09-01', { ...asAda, ...pro, ...period('2026-09-01', '2026-10-01') }),
    providerEvent('EXPIRATION', '2026-10-01', { ...asAda, ...pro, ...period('2026-09-01', '2026-10-01') }),
    providerEvent('RENEWAL', '2026-10-15', { ...asAda, ...pro, ...october }),
    providerEvent('CANCELLATION', '2026-10-20', { ...asAda, ...pro, ...october, cancel_reason: 'CUSTOMER_SUPPORT' }),
    providerEvent('REFUND_REVERSED', '2026-10-25', { ...asAda, ...pro, ...october }),
    providerEvent('TRANSFER', '2026-11-01', { transferred_from: [ada, nameless], transferred_to: [grace] }),
    providerEvent('RENEWAL', '2026-11-15', { ...asGrace, ...pro, ...period('2026-11-15', '2026-12-15') }),
    providerEvent('NON_RENEWING_PURCHASE', '2026-11-20', {
      ...lifetime,
      expiration_at_ms: null,
      entitlement_ids: ['lifetime'],
    }),
    providerEvent('CANCELLATION', '2026-11-25', { ...lifetime, cancel_reason: 'CUSTOMER_SUPPORT' }),
    providerEvent('TEMPORARY_ENTITLEMENT_GRANT', '2026-12-01', {
      app_user_id: ada,
      store: 'PLAY_STORE',
      product_id: 'pro_yearly',
      entitlement_ids: ['pro'],
      ...period('2026-12-01', '2026-12-02'),
    }),
    providerEvent('INITIAL_PURCHASE', '2026-12-01T06:00:00Z', {
      ...asAda,
      store: 'PLAY_STORE',
      original_transaction_id: `GPA.2 of ${nameless}`,
      product_id: 'pro_yearly',
      entitlement_ids: ['pro'],
      ...period('2026-11-30', '2027-11-30'),
    }),
    providerEvent('EXPIRATION', '2026-12-15', { ...asGrace, ...pro, ...period('2026-11-15', '2026-12-15') }),
    providerEvent('NON_RENEWING_PURCHASE', '2026-12-20', {
      ...asGrace,
      store: 'APP_STORE',
      original_transaction_id: `5 of ${nameless}`,
      product_id: 'tip',
      entitlement_ids: null,
      purchased_at_ms: '2026-12-20',
      expiration_at_ms: null,
    }),
    providerEvent('A_TYPE_OF_NEXT_YEAR', '2027-02-01', asAda),
  ];
  return year.map((event) => ({ ...event, id: `${event.id} of ${nameless}` }));
}

type Plan = readonly [plan: string, until: string | null];

const FREE: Plan = ['free', null];

/** The plans of both at a moment, once the service knows every event up to it. */
export const EXPECTED: readonly [moment: string, ada: Plan, grace: Plan, why: string][] = [
  ['2026-03-01', FREE, FREE, 'before anything was bought'],
  ['2026-03-03', FREE, FREE, 'the trial is somebody nameless'],
  ['2026-03-06', ['basic', '2026-03-09'], FREE, 'and turns out to be Ada'],
  ['2026-03-10', ['basic', '2026-04-09'], FREE, 'the trial became a subscription'],
  ['2026-03-22', ['basic', '2026-04-09'], FREE, 'nothing in the sandbox counts'],
  ['2026-05-08', ['basic', '2026-05-09'], FREE, 'renewed'],
  ['2026-05-13', ['basic', '2026-05-20'], FREE, 'a charge failed, and the grace period runs'],
  ['2026-05-15', ['basic', '2026-06-14'], FREE, 'paid after all, and told late that the month before has ended'],
  ['2026-06-02', ['basic', '2026-06-14'], FREE, 'cancelled, but paid for'],
  ['2026-06-04', ['basic', '2026-06-14'], FREE, 'taken back'],
  ['2026-06-11', ['basic', '2026-06-14'], FREE, 'the other product is not in effect yet'],
  ['2026-06-15', ['pro', '2026-07-14'], FREE, 'now it is'],
  ['2026-07-20', ['pro', '2026-07-21'], FREE, 'extended, and to be paused at the end'],
  ['2026-07-22', FREE, FREE, 'paused'],
  ['2026-09-02', ['pro', '2026-10-01'], FREE, 'resumed'],
  ['2026-10-02', FREE, FREE, 'expired'],
  ['2026-10-16', ['pro', '2026-11-15'], FREE, 'subscribed again'],
  ['2026-10-21', FREE, FREE, 'refunded'],
  ['2026-10-26', ['pro', '2026-11-15'], FREE, 'the refund was reversed'],
  ['2026-11-02', FREE, ['pro', '2026-11-15'], 'given to Grace'],
  ['2026-11-16', FREE, ['pro', '2026-12-15'], 'renewed by her'],
  ['2026-11-21', ['lifetime', null], ['pro', '2026-12-15'], 'bought for life'],
  ['2026-11-26', FREE, ['pro', '2026-12-15'], 'refunded'],
  ['2026-12-01T01:00:00Z', ['pro', '2026-12-02'], ['pro', '2026-12-15'], 'granted while the store was away'],
  ['2026-12-03', ['pro', '2027-11-30'], ['pro', '2026-12-15'], 'and confirmed'],
  ['2026-12-16', ['pro', '2027-11-30'], FREE, "Grace's has expired"],
  ['2026-12-21', ['pro', '2027-11-30'], FREE, 'a tip buys nothing'],
  ['2027-03-01', ['pro', '2027-11-30'], FREE, 'a type that nobody knows changes nothing'],
  ['2027-12-01', FREE, FREE, 'and all of it ends without a word'],
];
