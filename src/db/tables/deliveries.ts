/** Where nudges go, and each one on its way there. */

export interface DevicesTable {
  id: string;
  user_id: string;
  platform: 'ios' | 'android' | 'web';
  token: string;
  token_hash: string;
  push_env: 'sandbox' | 'production';
  /** JSON: what a Web Push is encrypted with. */
  keys: string | null;
  /** The token that starts a Live Activity. */
  start_token: string | null;
  valid: boolean;
  invalid_reason: string | null;
  /** The last time the app was in the foreground. */
  last_seen_at: Date | null;
  /** When the token was last reported; a provider's word about an earlier time does not count. */
  registered_at: Date;
  created_at: Date;
}

export type DeliveryStatus = 'pending' | 'sent' | 'failed_transient' | 'failed_permanent' | 'cancelled' | 'superseded';
export type DeliveryKind = 'nudge' | 'activity_start' | 'activity_update' | 'activity_end';

/** The outbox: a nudge on its way to one device. A lease is a `next_attempt_at` in the future. */
export interface DeliveriesTable {
  /** The timeline's entry for the nudge. */
  entry_id: string;
  /** The device, or the Live Activity. */
  target_id: string;
  kind: DeliveryKind;
  task_id: string;
  provider: 'apns' | 'apns_sandbox' | 'fcm' | 'web_push';
  stage: number;
  status: DeliveryStatus;
  reason: string | null;
  attempts: number;
  /** In real time, whatever the service's clock does: providers live by it. */
  next_attempt_at: Date;
  created_at: Date;
  sent_at: Date | null;
  acked_at: Date | null;
}

/** A card on a lock screen. Without a token it was asked for and has not answered yet. */
export interface LiveActivitiesTable {
  id: string;
  task_id: string;
  /** Unknown where the app started it by itself. */
  device_id: string | null;
  token: string | null;
  token_hash: string | null;
  push_env: 'sandbox' | 'production';
  /** In real time, like the end. */
  started_at: Date;
  ended_at: Date | null;
}
