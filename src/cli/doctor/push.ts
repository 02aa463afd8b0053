/**
 * Whether Apple and Google believe our credentials. Each is handed a real push for a device that cannot
 * exist: a provider looks at who sends before it looks at whom to, so the refusal of the device is the
 * good answer, and nobody's phone rings.
 */
import { apnsOptionsOf } from '../../compose-push.ts';
import { ApnsGateway } from '../../push/apns/client.ts';
import { FcmGateway } from '../../push/fcm/client.ts';
import type { Gateway, PushResult, Target } from '../../push/gateway.ts';
import { type Check, type Finding, fault, fine, type Patient, warning } from './check.ts';

const NO_DEVICE = '0'.repeat(64);
const LIFE_MS = 60_000;

async function sendTo(
  gateway: Gateway,
  platform: Target['platform'],
  patient: Patient,
  signal: AbortSignal,
  sandbox = false,
) {
  const target = { platform, token: NO_DEVICE, environment: sandbox ? 'sandbox' : 'production', keys: null } as const;
  const expiresAt = new Date(patient.clock.now().getTime() + LIFE_MS);
  return gateway.send({ kind: 'test', target, expiresAt }, signal).finally(() => gateway.close());
}

type Remedies = Readonly<Record<string, string>>;

function judge(provider: string, result: PushResult, remedies: Remedies): Finding {
  if (result.kind === 'accepted' || result.kind === 'gone') return fine(`${provider} believes our credentials`);
  const { kind, reason } = result;
  const remedy = remedies[reason];
  if (kind !== 'retry') return fault(`${provider} refuses us: ${reason}`, remedy ?? remedies.other ?? '');
  return fault(`${provider} did not answer: ${reason}`, remedy ?? remedies.unreachable ?? '');
}

const APNS_REMEDIES: Remedies = {
  InvalidProviderToken:
    'APNS_KEY, APNS_KEY_ID and APNS_TEAM_ID do not belong together: compare them with the developer account.',
  ExpiredProviderToken: 'The clock of this machine is wrong: set it.',
  MissingProviderToken: 'Something between this machine and Apple removes headers: let it through.',
  TopicDisallowed: 'APNS_TOPIC is not an app of that team: it wants the bundle id.',
  BadTopic: 'APNS_TOPIC wants the bundle id of the app.',
  UnrelatedKeyIdInToken: 'The key is not one of APNS_TEAM_ID.',
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
  look: async (patient, signal) => {
    const options = apnsOptionsOf(patient.config);
    const isSandbox = environment === 'sandbox';
    if (!options || !(options.keys[environment] ?? options.keys.production)) {
      return isSandbox ? undefined : fine('no key is set: iPhones are not pushed to');
    }
    // The refusal is this command's to report, and not an error of the service.
    const gateway = new ApnsGateway(options, patient.clock, patient.logger.child({}, { level: 'silent' }));
    const result = await sendTo(gateway, 'ios', patient, signal, isSandbox);
    if (
      isSandbox &&
      !options.keys.sandbox &&
      result.kind === 'misconfigured' &&
      /^BadEnvironmentKey/.test(result.reason)
    ) {
      return warning('the key is for production alone', 'Set APNS_SANDBOX_KEY where apps from Xcode are to be nudged.');
    }
    return judge('Apple', result, APNS_REMEDIES);
  },
});

const FCM_REMEDIES: Remedies = {
  invalid_grant: 'The key of FCM_SERVICE_ACCOUNT is not valid any more, or the clock of this machine is wrong.',
  invalid_client: 'The service account is not known: make a new key for it.',
  unusable_private_key: 'The private_key in FCM_SERVICE_ACCOUNT cannot be read: download the file anew.',
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
  look: async (patient, signal) => {
    const { FCM_SERVICE_ACCOUNT: account, FCM_ORIGIN: origin } = patient.config;
    if (!account) return fine('no service account is set: Android devices are not pushed to');
    const logger = patient.logger.child({}, { level: 'silent' });
    const gateway = new FcmGateway({ account, origin, clock: patient.clock, logger, validateOnly: true });
    return judge('Google', await sendTo(gateway, 'android', patient, signal), FCM_REMEDIES);
  },
};

export const pushChecks: readonly Check[] = [apnsIn('APNs', 'production'), apnsIn('APNs sandbox', 'sandbox'), fcm];
