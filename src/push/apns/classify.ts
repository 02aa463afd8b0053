/**
 * Turns Apple's answer into a push result.
 *
 * Only the four reasons about the token itself make a device invalid. For an unknown reason the status
 * decides, and the result is never `gone`.
 */
import type { PushResult } from '../gateway.ts';

export interface ApnsAnswer {
  readonly status: number;
  /** Empty if the answer has none. */
  readonly reason: string;
  /** Only with 410: since when the token is dead. */
  readonly timestampMs: number | undefined;
}

/** The queue sends it once more with a new token. If Apple calls that one expired too, our clock is wrong. */
export const EXPIRED_TOKEN = 'ExpiredProviderToken';

type FailureKind = Exclude<PushResult['kind'], 'accepted'>;

const REASONS: Readonly<Record<FailureKind, readonly string[]>> = {
  gone: ['BadDeviceToken', 'DeviceTokenNotForTopic', 'Unregistered', 'ExpiredToken'],
  misconfigured: [
    'BadCertificate',
    'BadCertificateEnvironment',
    // Apple documents one spelling and sends the other.
    'BadEnvironmentKeyIdInToken',
    'BadEnvironmentKeyInToken',
    'InvalidProviderToken',
    'MissingProviderToken',
    'TopicDisallowed',
    'UnrelatedKeyIdInToken',
  ],
  rejected: [
    'BadCollapseId',
    'BadExpirationDate',
    'BadMessageId',
    'BadPath',
    'BadPriority',
    'BadTopic',
    'DuplicateHeaders',
    'Forbidden',
    'InvalidPushType',
    'MethodNotAllowed',
    'MissingDeviceToken',
    'MissingTopic',
    'PayloadEmpty',
    'PayloadTooLarge',
  ],
  retry: [
    EXPIRED_TOKEN,
    'IdleTimeout',
    'InternalServerError',
    'ServiceUnavailable',
    'Shutdown',
    'TooManyProviderTokenUpdates',
    'TooManyRequests',
  ],
};

const kindByReason = new Map(
  Object.entries(REASONS).flatMap(([kind, reasons]) => reasons.map((reason) => [reason, kind as FailureKind])),
);

export function classify({ status, reason, timestampMs }: ApnsAnswer): PushResult {
  if (status === 200) return { kind: 'accepted' };
  const kind = kindByReason.get(reason) ?? kindByStatus(status);
  const why = reason || `status_${status}`;
  if (reason === EXPIRED_TOKEN) return { kind: 'retry', reason, isRefusal: true };
  if (kind !== 'gone' || timestampMs === undefined) return { kind, reason: why };
  return { kind, reason: why, since: new Date(timestampMs) };
}

function kindByStatus(status: number): FailureKind {
  return status >= 400 && status < 500 && status !== 429 ? 'rejected' : 'retry';
}
