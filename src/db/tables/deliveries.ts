/** Devices, Live Activities, and the outbox of deliveries to them. */

export interface DevicesTable {
  id: string;
  user_id: string;
  platform: 'ios' | 'android' | 'web';
  token: string;
  token_hash: string;
  push_env: 'sandbox' | 'production';
  /** JSON: the keys that Web Push messages are encrypted with. */
  keys: string | null;
  /** The token that starts a Live Activity. */
  start_token: string | null;
  valid: boolean;
  invalid_reason: string | null;
  /** The last time the app was in the foreground. */
  last_seen_at: Date | null;
  /** When the app last reported the token. A provider's report about an earlier time is ignored. */
  registered_at: Date;
  created_at: Date;
}

export type DeliveryStatus = 'pending' | 'sent' | 'failed_transient' | 'failed_permanent' | 'cancelled' | 'superseded';
export type DeliveryKind = 'nudge' | 'activity_start' | 'activity_update' | 'activity_end';

/** The outbox: one nudge for one device. A lease is a `next_attempt_at` in the future. */
export interface DeliveriesTable {
  /** The timeline entry of the nudge. */
  entry_id: string;
  /** The device, or the Live Activity. */
  target_id: string;
  kind: DeliveryKind;
  task_id: string;
  /** Null only for deliveries that were finished before this column existed. */
  owner_id: string | null;
  provider: 'apns' | 'apns_sandbox' | 'fcm' | 'web_push';
  stage: number;
  status: DeliveryStatus;
  reason: string | null;
  attempts: number;
  /** In real time, not by the service clock, because providers use real time. */
  next_attempt_at: Date;
  created_at: Date;
  sent_at: Date | null;
  acked_at: Date | null;
}

/** Without a token, the Live Activity was requested and the app has not reported it yet. */
export interface LiveActivitiesTable {
  id: string;
  task_id: string;
  /** Null if the app started it without a request. */
  device_id: string | null;
  token: string | null;
  token_hash: string | null;
  push_env: 'sandbox' | 'production';
  /** In real time, like `ended_at`. */
  started_at: Date;
  ended_at: Date | null;
}
