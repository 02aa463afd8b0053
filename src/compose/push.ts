/** Composes the push gateways from the credentials in the settings. */
import { baseUrlOf, type Config } from '../config.ts';
import { readOrMakeVapidKeys, type VapidKeys } from '../keys/vapid-keys.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import { privateNameLog } from '../outbound/private-name-log.ts';
import { ApnsGateway, type ApnsOptions } from '../push/apns/client.ts';
import { FcmGateway } from '../push/fcm/client.ts';
import type { Gateways } from '../push/gateway.ts';
import { WebPushGateway } from '../push/web-push/client.ts';
import { composeChannelGateways } from './channels.ts';
import type { Parts, Shared } from './parts.ts';
import type { Watch } from './watch.ts';

/** A gateway for each configured provider. Each connects at its first push. */
export function composePush(parts: Parts, shared: Shared, watch: Watch) {
  const { config, wallClock, logger, extra } = parts;
  const vapid = vapidKeysOf(config);
  const channels = composeChannelGateways(parts, shared);
  const ofDevices = extra?.gateways ?? deviceGateways(config, wallClock, logger, vapid);
  return { gateways: watch.gateways({ ...ofDevices, ...channels.gateways }), channels, vapid };
}

function deviceGateways(config: Config, wallClock: Clock, logger: Logger, vapid: VapidKeys | undefined): Gateways {
  const { FCM_SERVICE_ACCOUNT: account, FCM_ORIGIN: origin, WEB_PUSH_HOSTS: hosts } = config;
  const baseUrl = baseUrlOf(config, config.PORT);
  const shared = { clock: wallClock, logger };
  const apns = apnsOptionsOf(config);
  const subject = vapidSubjectOf(config);
  const onPrivateName = privateNameLog(logger, wallClock, 'WEB_PUSH_HOSTS');
  return {
    ...(apns && environmentsOf(new ApnsGateway(apns, wallClock, logger))),
    ...(account && { fcm: new FcmGateway({ account, origin, ...shared }) }),
    ...(vapid && { web_push: new WebPushGateway({ keys: vapid, subject, hosts, baseUrl, onPrivateName, ...shared }) }),
  };
}

function environmentsOf(gateway: ApnsGateway): Gateways {
  const [apns, apns_sandbox] = [gateway.forEnvironment('production'), gateway.forEnvironment('sandbox')];
  return { ...(apns && { apns }), ...(apns_sandbox && { apns_sandbox }) };
}

export function apnsOptionsOf(config: Config): ApnsOptions | undefined {
  const { APNS_KEY, APNS_KEY_ID, APNS_SANDBOX_KEY, APNS_SANDBOX_KEY_ID, APNS_TEAM_ID, APNS_TOPIC } = config;
  if (!APNS_TEAM_ID || !APNS_TOPIC) return undefined;
  const keys = {
    ...(APNS_KEY && APNS_KEY_ID && { production: { pem: APNS_KEY, id: APNS_KEY_ID } }),
    ...(APNS_SANDBOX_KEY && APNS_SANDBOX_KEY_ID && { sandbox: { pem: APNS_SANDBOX_KEY, id: APNS_SANDBOX_KEY_ID } }),
  };
  if (Object.keys(keys).length === 0) return undefined;
  return {
    keys,
    teamId: APNS_TEAM_ID,
    topic: APNS_TOPIC,
    critical: config.APNS_CRITICAL,
    activityType: config.APNS_ACTIVITY_TYPE,
    ...(config.APNS_ORIGIN && { origin: config.APNS_ORIGIN }),
  };
}

/** From the settings; on SQLite, made at the first start by default. */
function vapidKeysOf({ VAPID_PUBLIC_KEY, VAPID_PRIVATE_KEY, DATABASE_URL, DATA_DIR }: Config): VapidKeys | undefined {
  if (VAPID_PUBLIC_KEY && VAPID_PRIVATE_KEY) return { publicKey: VAPID_PUBLIC_KEY, privateKey: VAPID_PRIVATE_KEY };
  return DATABASE_URL.engine === 'sqlite' ? readOrMakeVapidKeys(DATA_DIR) : undefined;
}

/** The contact address that push services use when pushes cause trouble. Apple refuses pushes without one. */
export function vapidSubjectOf({ VAPID_SUBJECT, BASE_URL, MAIL_FROM }: Config): string {
  if (VAPID_SUBJECT) return VAPID_SUBJECT;
  if (BASE_URL?.startsWith('https:')) return BASE_URL;
  return `mailto:${/<([^>]+)>/.exec(MAIL_FROM)?.[1] ?? MAIL_FROM}`;
}
