/**
 * Checks whether Apple and Google accept our credentials, by a real push to a device that cannot exist. A provider
 * checks the sender before the device, so a refusal of the device means that the credentials are good, and no
 * phone rings.
 */
import { apnsOptionsOf } from '../../compose/push.ts';
import { ApnsGateway } from '../../push/apns/client.ts';
import { FcmGateway } from '../../push/fcm/client.ts';
import type { Gateway, PushResult, Target } from '../../push/gateway.ts';
import { type Check, type DoctorContext, type Finding, fault, fine, warning } from './check.ts';

const NO_DEVICE = '0'.repeat(64);
const LIFETIME_MS = 60_000;

async function sendTo(
  gateway: Gateway,
  platform: Target['platform'],
  context: DoctorContext,
  signal: AbortSignal,
  sandbox = false,
) {
  const target = { platform, token: NO_DEVICE, environment: sandbox ? 'sandbox' : 'production', keys: null } as const;
  const expiresAt = new Date(context.clock.now().getTime() + LIFETIME_MS);
  return gateway.send({ kind: 'test', target, expiresAt }, signal).finally(() => gateway.close());
}

type Remedies = Readonly<Record<string, string>>;

function describeResult(provider: string, result: PushResult, remedies: Remedies): Finding {
  if (result.kind === 'accepted' || result.kind === 'gone') return fine(`${provider} accepts our credentials`);
  const { kind, reason } = result;
  const remedy = remedies[reason];
  if (kind !== 'retry') return fault(`${provider} refuses us: ${reason}`, remedy ?? remedies.other ?? '');
  return fault(`${provider} did not answer: ${reason}`, remedy ?? remedies.unreachable ?? '');
}

const APNS_REMEDIES: Remedies = {
  InvalidProviderToken:
    'APNS_KEY, APNS_KEY_ID and APNS_TEAM_ID do not belong together: compare them with the developer account.',
  ExpiredProviderToken: 'The clock of this machine is wrong. Set it.',
  MissingProviderToken: 'A proxy between this machine and Apple removes headers. Let the connection pass unchanged.',
  TopicDisallowed: 'APNS_TOPIC is not an app of that team. Set it to the bundle id.',
  BadTopic: 'Set APNS_TOPIC to the bundle id of the app.',
  UnrelatedKeyIdInToken: 'The key does not belong to APNS_TEAM_ID.',
  other: 'Compare the APNS settings with the developer account.',
  unreachable: 'Let this machine connect to Apple over HTTP/2, port 443.',
};

const apnsIn = (name: string, environment: Target['environment']): Check => ({
  name,
  settings: [
    'APNS_KEY',
    'APNS_KEY_ID',
    'APNS_TEAM_ID',
    'APNS_TOPIC',
    'APNS_SANDBOX_KEY',
    'APNS_SANDBOX_KEY_ID',
    'APNS_ORIGIN',
  ],
  run: async (context, signal) => {
    const options = apnsOptionsOf(context.config);
    const isSandbox = environment === 'sandbox';
    if (!options || !(options.keys[environment] ?? options.keys.production)) {
      return isSandbox ? undefined : fine('no key is set: iPhones get no pushes');
    }
    // The doctor reports the refusal itself, so the gateway does not log it.
    const gateway = new ApnsGateway(options, context.clock, context.logger.child({}, { level: 'silent' }));
    const result = await sendTo(gateway, 'ios', context, signal, isSandbox);
    if (
      isSandbox &&
      !options.keys.sandbox &&
      result.kind === 'misconfigured' &&
      /^BadEnvironmentKey/.test(result.reason)
    ) {
      return warning('the key is for production only', 'Set APNS_SANDBOX_KEY if apps from Xcode should get nudges.');
    }
    return describeResult('Apple', result, APNS_REMEDIES);
  },
});

const FCM_REMEDIES: Remedies = {
  invalid_grant: 'The key in FCM_SERVICE_ACCOUNT is no longer valid, or the clock of this machine is wrong.',
  invalid_client: 'Google does not know the service account. Create a new key for it.',
  unusable_private_key: 'The private_key in FCM_SERVICE_ACCOUNT cannot be read. Download the file again.',
  PERMISSION_DENIED: 'Give the service account the role "Firebase Cloud Messaging API Admin".',
  IAM_PERMISSION_DENIED: 'Give the service account the role "Firebase Cloud Messaging API Admin".',
  SERVICE_DISABLED: 'Enable the Firebase Cloud Messaging API in the project.',
  NOT_FOUND: 'The project_id in FCM_SERVICE_ACCOUNT is not a Firebase project.',
  other: 'Compare FCM_SERVICE_ACCOUNT with the project in the Firebase console.',
  unreachable: 'Let this machine connect to fcm.googleapis.com and oauth2.googleapis.com, port 443.',
};

const fcm: Check = {
  name: 'FCM',
  settings: ['FCM_SERVICE_ACCOUNT', 'FCM_ORIGIN'],
  run: async (context, signal) => {
    const { FCM_SERVICE_ACCOUNT: account, FCM_ORIGIN: origin } = context.config;
    if (!account) return fine('no service account is set: Android devices get no pushes');
    const logger = context.logger.child({}, { level: 'silent' });
    const gateway = new FcmGateway({ account, origin, clock: context.clock, logger, validateOnly: true });
    return describeResult('Google', await sendTo(gateway, 'android', context, signal), FCM_REMEDIES);
  },
};

export const pushChecks: readonly Check[] = [apnsIn('APNs', 'production'), apnsIn('APNs sandbox', 'sandbox'), fcm];
