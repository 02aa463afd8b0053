/**
 * Every setting, in one schema. The rest of the program sees only the frozen `Config`.
 *
 * A wrong value never falls back to a default: it stops the start with one line that names the
 * setting, because a service that quietly runs with other settings than its owner wrote is worse
 * than one that does not run. `.env.example` explains each setting; a test keeps the two equal.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import {
  byDefault,
  databaseLocation,
  decimal,
  flag,
  httpOrigin,
  integer,
  list,
  listOrJson,
  matching,
  oneOf,
  optional,
  type Setting,
  secret,
  serviceAccount,
  signingKey,
  text,
  trustedProxies,
  url,
} from './lib/setting.ts';
import { findPublicKey } from './push/web-push/vapid-keys.ts';

const appleId = matching(/^[A-Z0-9]{10}$/, '10 capital letters and digits');
const webUrl = url('http', 'https');
const pushHost = /^(\*\.)?[a-z0-9.-]+(:\d{1,5})?$|^\[[0-9a-f:]+\](:\d{1,5})?$/;
const wellKnownPushHosts = [
  'fcm.googleapis.com',
  '*.push.apple.com',
  'updates.push.services.mozilla.com',
  '*.notify.windows.com',
];

export const settings = {
  PORT: byDefault('8080', integer(0, 65_535)),
  HOST: byDefault('localhost', matching(/^[\w.:-]+$/, 'a host name or address to listen on')),
  BASE_URL: optional(httpOrigin),
  DATABASE_URL: byDefault('sqlite:data/crescendo.db', secret(databaseLocation)),
  DATA_DIR: byDefault('./data', text('the path of a folder')),
  SECRET_KEY: optional(secret(matching(/^.{32,}$/s, 'at least 32 random characters'))),
  SECRET_KEY_OLD: optional(secret(listOrJson(/^.{32,}$/s, 'former keys of at least 32 characters each'))),
  ROLE: byDefault('all', oneOf('all', 'api', 'engine')),
  LOG_LEVEL: byDefault('info', oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent')),
  CLOCK_SPEED: byDefault('1', decimal(1, 100_000)),
  RATE_LIMIT_PER_MINUTE: byDefault('60000', integer(1, 100_000_000)),
  TRUST_PROXY: byDefault('false', trustedProxies),
  METRICS_TOKEN: optional(secret(matching(/^\S{16,}$/, 'at least 16 characters without spaces'))),
  HEARTBEAT_URL: optional(secret(webUrl)),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(webUrl),
  OTEL_SERVICE_NAME: byDefault('crescendo', text('a name')),
  OTEL_TRACES_SAMPLER: byDefault(
    'parentbased_always_on',
    oneOf(
      ...(['always_on', 'always_off', 'traceidratio'] as const),
      ...(['parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'] as const),
    ),
  ),
  OTEL_TRACES_SAMPLER_ARG: byDefault('1', decimal(0, 1)),

  SMTP_URL: optional(secret(url('smtp', 'smtps'))),
  MAIL_FROM: byDefault(
    'Crescendo <crescendo@localhost>',
    matching(/^[^\r\n@<>]+@[^\r\n@<>]+$|^[^\r\n<>]*<[^\s@<>]+@[^\s@<>]+>$/, 'an address, or a name with <an address>'),
  ),

  IDP_ISSUER: byDefault('https://appleid.apple.com', webUrl),
  IDP_AUDIENCE: optional(list(/^\S+$/, 'client ids')),
  IDP_JWKS_URL: optional(webUrl),
  APPLE_CLIENT_KEY: optional(signingKey),
  APPLE_CLIENT_KEY_ID: optional(appleId),

  APNS_KEY: optional(signingKey),
  APNS_KEY_ID: optional(appleId),
  APNS_TEAM_ID: optional(appleId),
  APNS_TOPIC: optional(matching(/^[A-Za-z0-9.-]+$/, "the app's bundle id")),
  APNS_SANDBOX_KEY: optional(signingKey),
  APNS_SANDBOX_KEY_ID: optional(appleId),
  APNS_ORIGIN: optional(httpOrigin),
  APNS_CRITICAL: byDefault('false', flag),
  APNS_ACTIVITY_TYPE: byDefault('NudgeAttributes', matching(/^[A-Za-z_]\w*$/, 'the name of a Swift type')),

  FCM_SERVICE_ACCOUNT: optional(serviceAccount),
  FCM_ORIGIN: byDefault('https://fcm.googleapis.com', httpOrigin),

  VAPID_PUBLIC_KEY: optional(matching(/^[\w-]{87}$/, 'a P-256 public key: 87 characters of base64url')),
  VAPID_PRIVATE_KEY: optional(secret(matching(/^[\w-]{43}$/, 'a P-256 private key: 43 characters of base64url'))),
  VAPID_SUBJECT: optional(matching(/^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/, 'mailto:ADDRESS or an https:// URL')),
  WEB_PUSH_HOSTS: byDefault(
    wellKnownPushHosts.join(','),
    list(pushHost, 'host names, each with an optional *. before it or :port after it'),
  ),

  BILLING_WEBHOOK_SECRET: optional(secret(text('the whole Authorization value that the billing provider sends'))),
  BILLING_SIGNING_SECRET: optional(secret(text("the billing provider's signing secret"))),
  BILLING_SANDBOX: byDefault('false', flag),
} satisfies Record<string, Setting<unknown>>;

export type SettingName = keyof typeof settings;
export type Config = { readonly [K in SettingName]: (typeof settings)[K] extends Setting<infer T> ? T : never };

/** The message is one complete line for the person who starts the service. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The environment, completed by a `.env` file in the given folder; what is set in both, the environment decides. */
export function readEnvironment(folder: string, environment: Environment): Environment {
  const file = join(folder, '.env');
  if (!existsSync(file)) return environment;
  const written = parseEnv(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''));
  const set = Object.entries(environment).filter(([, value]) => value);
  return { ...written, ...Object.fromEntries(set) };
}

export function loadConfig(environment: Environment): Config {
  const { config, complaints } = examineSettings(environment);
  const [first] = complaints;
  if (first) throw new ConfigError(first.message);
  return Object.freeze(config);
}

export interface Complaint {
  readonly setting: SettingName;
  readonly message: string;
}

/** Everything that is wrong, and the settings as they are without it: what is wrong counts as unset. */
export function examineSettings(environment: Environment): { config: Config; complaints: readonly Complaint[] } {
  const complaints: Complaint[] = [];
  const read = (name: SettingName) => {
    try {
      return readSetting(name, settings[name], environment);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      complaints.push({ setting: name, message: error.message });
      return readSetting(name, settings[name], {});
    }
  };
  const names = Object.keys(settings) as SettingName[];
  const config = withDataDir(Object.fromEntries(names.map((name) => [name, read(name)])) as Config, environment);
  // One complaint for each is enough: what is missing only because it was wrong has been named already.
  const named = new Map<SettingName, Complaint>();
  for (const complaint of [...complaints, ...disagreements(config)]) {
    if (!named.has(complaint.setting)) named.set(complaint.setting, complaint);
  }
  return { config, complaints: [...named.values()] };
}

/** An empty variable counts as unset: that is how compose files and shells pass "nothing". */
function readSetting(name: string, setting: Setting<unknown>, environment: Environment): unknown {
  const raw = environment[name]?.trim() || setting.fallback;
  if (raw === undefined) return undefined;
  const value = setting.parse(raw);
  if (value !== undefined) return value;
  throw new ConfigError(`${name} is ${setting.secret ? 'set to something' : shown(raw)}; it wants ${setting.wants}.`);
}

/** Even a setting that is no secret may have one in it: the user and password of a URL. */
const shown = (raw: string) => JSON.stringify(raw.replace(/\/\/[^/?#]*@/, '//…@'));

/** The embedded database lives in DATA_DIR unless DATABASE_URL puts it elsewhere. */
function withDataDir(config: Config, environment: Environment): Config {
  if (environment.DATABASE_URL || !environment.DATA_DIR) return config;
  return { ...config, DATABASE_URL: { engine: 'sqlite', file: join(config.DATA_DIR, 'crescendo.db') } };
}

/** The newest first; undefined where the key lies in DATA_DIR. */
export function configuredKeys({ SECRET_KEY, SECRET_KEY_OLD = [] }: Config): [string, ...string[]] | undefined {
  return SECRET_KEY === undefined ? undefined : [SECRET_KEY, ...SECRET_KEY_OLD];
}

/** Where the service is reached: as configured, or where it listens. */
export function baseUrlOf({ BASE_URL, HOST }: Config, port: number): string {
  if (BASE_URL) return BASE_URL;
  const host = ['0.0.0.0', '::'].includes(HOST) ? 'localhost' : HOST;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Settings that only make sense together: each row names what the first one needs beside it. */
const COMPANIONS: readonly [SettingName, ...SettingName[]][] = [
  ['SECRET_KEY_OLD', 'SECRET_KEY'],
  ['APNS_KEY', 'APNS_KEY_ID', 'APNS_TEAM_ID', 'APNS_TOPIC'],
  ['APNS_KEY_ID', 'APNS_KEY'],
  ['APNS_SANDBOX_KEY', 'APNS_SANDBOX_KEY_ID', 'APNS_TEAM_ID', 'APNS_TOPIC'],
  ['APNS_SANDBOX_KEY_ID', 'APNS_SANDBOX_KEY'],
  ['APPLE_CLIENT_KEY', 'APPLE_CLIENT_KEY_ID', 'APNS_TEAM_ID', 'IDP_AUDIENCE'],
  ['APPLE_CLIENT_KEY_ID', 'APPLE_CLIENT_KEY'],
  ['VAPID_PUBLIC_KEY', 'VAPID_PRIVATE_KEY'],
  ['VAPID_PRIVATE_KEY', 'VAPID_PUBLIC_KEY'],
  ['BILLING_SIGNING_SECRET', 'BILLING_WEBHOOK_SECRET'],
];

function disagreements(config: Config): Complaint[] {
  return [...missingCompanions(config), ...contradictions(config)];
}

function missingCompanions(config: Config): Complaint[] {
  return COMPANIONS.flatMap(([name, ...companions]) => {
    if (config[name] === undefined) return [];
    const missing = companions.filter((companion) => config[companion] === undefined);
    return missing.map((setting) => ({ setting, message: `${setting} is not set; it is needed beside ${name}.` }));
  });
}

function contradictions(config: Config): Complaint[] {
  const { VAPID_PUBLIC_KEY, VAPID_PRIVATE_KEY, DATABASE_URL, ROLE, SECRET_KEY } = config;
  const isPair = VAPID_PRIVATE_KEY === undefined || findPublicKey(VAPID_PRIVATE_KEY) === VAPID_PUBLIC_KEY;
  const rules: readonly [isBroken: boolean, setting: SettingName, message: string][] = [
    [!isPair, 'VAPID_PUBLIC_KEY', 'VAPID_PUBLIC_KEY is not the public half of VAPID_PRIVATE_KEY; it wants to be.'],
    [
      DATABASE_URL.engine === 'sqlite' && ROLE !== 'all',
      'ROLE',
      `ROLE is "${ROLE}"; on SQLite it wants all, since one process does everything there.`,
    ],
    [
      DATABASE_URL.engine === 'postgres' && SECRET_KEY === undefined,
      'SECRET_KEY',
      `SECRET_KEY is not set; on PostgreSQL it wants ${settings.SECRET_KEY.wants}, the same for every process.`,
    ],
  ];
  return rules.flatMap(([isBroken, setting, message]) => (isBroken ? [{ setting, message }] : []));
}
