/** What building the pushes of leased deliveries needs, and what comes of it. */
import type { Db } from '../db/schema.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import type { MessageLimits } from '../push/gateway.ts';
import type { DeliveryResult } from './delivery-result.ts';
import type { DeliveryKey, OutgoingPush, Place } from './outgoing-push.ts';

export interface OutboxParts {
  readonly db: Db;
  readonly clock: Clock;
  readonly wallClock: Clock;
  /** How much faster than real time the service's clock runs. */
  readonly clockSpeed?: number | undefined;
  /** The limits for messages of the provider. */
  readonly limits: MessageLimits | undefined;
  readonly logger: Logger;
}

export interface Unsent extends Place {
  readonly key: DeliveryKey;
  readonly attempts: number;
  readonly result: DeliveryResult;
}

export interface Prepared {
  readonly pushes: readonly OutgoingPush[];
  /** Deliveries that are not sent, or not yet, with the result to store. */
  readonly unsent: readonly Unsent[];
}
