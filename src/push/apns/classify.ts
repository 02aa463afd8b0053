/**
 * What Apple's answer means for the push, the device and us.
 *
 * Only the four reasons that speak about the token itself cost a device its validity. A reason that
 * Apple adds one day is judged by its status, and never as `gone`.
 */
import type { PushResult } from '../gateway.ts';

export interface ApnsAnswer {
  readonly status: number;
  /** Empty where the answer had none. */
  readonly reason: string;
  /** With 410: since when the token is dead. */
  readonly timestampMs: number | undefined;
}

type Verdict = Exclude<PushResult['kind'], 'accepted'>;

const reasonsOf: Readonly<Record<Verdict, readonly string[]>> = {
  gone: ['BadDeviceToken', 'DeviceTokenNotForTopic', 'Unregistered', 'ExpiredToken'],
  misconfigured: [
    'BadCertificate',
    'BadCertificateEnvironment',
    // The documentation spells it one way, the wire the other.
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
    'ExpiredProviderToken',
    'IdleTimeout',
    'InternalServerError',
    'ServiceUnavailable',
    'Shutdown',
    'TooManyProviderTokenUpdates',
    'TooManyRequests',
  ],
};

const verdicts = new Map(
  Object.entries(reasonsOf).flatMap(([verdict, reasons]) => reasons.map((reason) => [reason, verdict as Verdict])),
);

export function classify({ status, reason, timestampMs }: ApnsAnswer): PushResult {
  if (status === 200) return { kind: 'accepted' };
  const kind = verdicts.get(reason) ?? verdictByStatus(status);
  const why = reason || `status_${status}`;
  if (kind !== 'gone' || timestampMs === undefined) return { kind, reason: why };
  return { kind, reason: why, since: new Date(timestampMs) };
}

function verdictByStatus(status: number): Verdict {
  return status >= 400 && status < 500 && status !== 429 ? 'rejected' : 'retry';
}
