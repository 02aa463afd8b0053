/**
 * Every setting, in one schema. The rest of the program sees only the frozen `Config`.
 *
 * An invalid value never falls back to the default: it stops the start with one line that names the setting,
 * because a service that silently runs with other settings than its operator wrote is worse than one that does
 * not run. `.env.example` explains each setting; a test keeps the two equal.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { findPublicKey } from './keys/vapid-keys.ts';
import { findNearName } from './lib/near-name.ts';
import { findProviderContradictions, providerSettings } from './lib/provider-settings.ts';
import {
  certificates,
  databaseLocation,
  decimal,
  emailAddresses,
  emailDomains,
  flag,
  hostNames,
  httpOrigin,
  integer,
  list,
  listOrJson,
  mailServer,
  matching,
  oneOf,
  optional,
  ownOrigin,
  type Setting,
  secret,
  serviceAccount,
  signingKey,
  text,
  trustedProxies,
  url,
  type ValuesOf,
  withDefault,
} from './lib/setting.ts';

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
  PORT: withDefault('8080', integer(0, 65_535)),
  HOST: withDefault('localhost', matching(/^[\w.:-]+$/, 'a host name or address to listen on')),
  BASE_URL: optional(ownOrigin),
  ALLOWED_HOSTS: optional(hostNames),
  DATABASE_URL: withDefault('sqlite:data/crescendo.db', secret(databaseLocation)),
  DATA_DIR: withDefault('./data', text('the path of a folder')),
  SECRET_KEY: optional(secret(matching(/^.{32,}$/s, 'at least 32 random characters'))),
  SECRET_KEY_OLD: optional(secret(listOrJson(/^.{32,}$/s, 'former keys of at least 32 characters each'))),
  ROLE: withDefault('all', oneOf('all', 'api', 'engine')),
  LOG_LEVEL: withDefault('info', oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent')),
  CLOCK_SPEED: withDefault('1', decimal(1, 100_000)),
  MAX_DEVICES_PER_ACCOUNT: withDefault('50', integer(1, 10_000)),
  MAX_OPEN_TASKS_PER_ACCOUNT: withDefault('50000', integer(1, 100_000_000)),
  DELIVERIES_PER_MINUTE: withDefault('3000', integer(1, 100_000_000)),
  RATE_LIMIT_PER_MINUTE: withDefault('60000', integer(1, 100_000_000)),
  COST_BUDGET_PER_MINUTE: withDefault('300000', integer(1, 100_000_000)),
  TRUST_PROXY: withDefault('false', trustedProxies),
  CALDAV_OVER_HTTP: withDefault('false', flag),
  METRICS_TOKEN: optional(secret(matching(/^\S{16,}$/, 'at least 16 characters without spaces'))),
  HEARTBEAT_URL: optional(secret(webUrl)),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(webUrl),
  OTEL_SERVICE_NAME: withDefault('crescendo', text('a name')),
  OTEL_TRACES_SAMPLER: withDefault(
    'parentbased_always_on',
    oneOf(
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ),
  ),
  OTEL_TRACES_SAMPLER_ARG: withDefault('1', decimal(0, 1)),

  SMTP_URL: optional(secret(mailServer)),
  EXTRA_CA_FILE: optional(certificates),
  MAIL_FROM: withDefault(
    'Crescendo <crescendo@localhost>',
    matching(/^[^\r\n@<>]+@[^\r\n@<>]+$|^[^\r\n<>]*<[^\s@<>]+@[^\s@<>]+>$/, 'an address, or a name with <an address>'),
  ),

  PRINT_MAIL: optional(flag),

  SIGN_UP: optional(oneOf('open', 'invite')),
  SIGN_UP_DOMAINS: optional(emailDomains),
  ADMINS: optional(emailAddresses),

  ...providerSettings,
  APPLE_CLIENT_KEY: optional(signingKey),
  APPLE_CLIENT_KEY_ID: optional(appleId),

  APNS_KEY: optional(signingKey),
  APNS_KEY_ID: optional(appleId),
  APNS_TEAM_ID: optional(appleId),
  APNS_TOPIC: optional(matching(/^[A-Za-z0-9.-]+$/, "the app's bundle id")),
  APNS_SANDBOX_KEY: optional(signingKey),
  APNS_SANDBOX_KEY_ID: optional(appleId),
  APNS_ORIGIN: optional(httpOrigin),
  APNS_CRITICAL: withDefault('false', flag),
  APNS_ACTIVITY_TYPE: withDefault('NudgeAttributes', matching(/^[A-Za-z_]\w*$/, 'the name of a Swift type')),

  FCM_SERVICE_ACCOUNT: optional(serviceAccount),
  FCM_ORIGIN: withDefault('https://fcm.googleapis.com', httpOrigin),

  VAPID_PUBLIC_KEY: optional(matching(/^[\w-]{87}$/, 'a P-256 public key: 87 characters of base64url')),
  VAPID_PRIVATE_KEY: optional(secret(matching(/^[\w-]{43}$/, 'a P-256 private key: 43 characters of base64url'))),
  VAPID_SUBJECT: optional(matching(/^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/, 'mailto:ADDRESS or an https:// URL')),
  WEB_PUSH_HOSTS: withDefault(
    wellKnownPushHosts.join(','),
    list(pushHost, 'host names, each with an optional *. before it or :port after it'),
  ),

  CHANNEL_HOSTS: withDefault(
    '*',
    list(/^\*$|^[a-z0-9.-]+(:\d{1,5})?$|^\[[0-9a-f:]+\](:\d{1,5})?$/, 'host names with an optional :port, or *'),
  ),
  NTFY_SERVER: withDefault('https://ntfy.sh', httpOrigin),
  NTFY_TOKEN: optional(secret(matching(/^[\x21-\x7e]{1,200}$/, 'an access token of that server'))),
  UNDERSTUDIES: withDefault('elsewhere', oneOf('elsewhere', 'anywhere', 'off')),
  TELEGRAM_BOT_TOKEN: optional(
    secret(matching(/^\d{1,20}:[\w-]{30,100}$/, 'the token that BotFather gave: digits, a colon and letters')),
  ),
  TELEGRAM_ORIGIN: withDefault('https://api.telegram.org', httpOrigin),

  PUSHOVER_TOKEN: optional(secret(matching(/^[A-Za-z0-9]{30}$/, "the application's token: 30 letters and digits"))),
  PUSHOVER_SUBSCRIPTION_URL: optional(webUrl),
  PUSHOVER_ORIGIN: withDefault('https://api.pushover.net', httpOrigin),
  SMS_ACCOUNT_SID: optional(matching(/^[A-Za-z0-9_-]{1,64}$/, 'the id of the account')),
  SMS_AUTH_TOKEN: optional(secret(matching(/^\S{16,200}$/, 'the token of the account'))),
  SMS_FROM: optional(
    matching(/^\+[1-9]\d{4,14}$|^[A-Za-z0-9 ]{1,11}$|^MG[0-9a-f]{32}$/, 'a number, a name or a messaging service'),
  ),
  SMS_ORIGIN: withDefault('https://api.twilio.com', httpOrigin),
  SMS_COUNTRIES: optional(list(/^\+[1-9]\d{0,6}$/, 'calling codes of countries, like +49')),
  SMS_SEGMENTS_PER_DAY: withDefault('100', integer(1, 1_000_000)),
  SMS_UNDERSTUDIES: withDefault('off', oneOf('off', 'on')),

  BILLING_WEBHOOK_SECRET: optional(
    secret(
      matching(/^.{16,}$/, 'the whole Authorization value that the billing provider sends, at least 16 characters'),
    ),
  ),
  BILLING_SIGNING_SECRET: optional(secret(text("the billing provider's signing secret"))),
  BILLING_SANDBOX: withDefault('false', flag),
} satisfies Record<string, Setting<unknown>>;

export type SettingName = keyof typeof settings;
export type Config = ValuesOf<typeof settings>;

/** The message is one complete line for the operator. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The environment, plus the `.env` file in the given folder. The environment wins, an empty variable too. */
export function readEnvironment(folder: string, environment: Environment): Environment {
  const file = join(folder, '.env');
  if (!existsSync(file)) return environment;
  const fromFile = parseEnv(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''));
  return { ...fromFile, ...environment };
}

export function loadConfig(environment: Environment): Config {
  const { config, problems } = checkSettings(environment);
  const [first] = problems;
  if (first) throw new ConfigError(first.message);
  return Object.freeze(config);
}

export interface SettingProblem {
  /** A setting, or a name that was probably meant to be one. */
  readonly setting: string;
  readonly message: string;
}

/** Finds every problem. An invalid setting counts as unset in the returned config. */
export function checkSettings(environment: Environment): { config: Config; problems: readonly SettingProblem[] } {
  const problems: SettingProblem[] = [];
  const read = (name: SettingName) => {
    try {
      return readSetting(name, settings[name], environment);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      problems.push({ setting: name, message: error.message });
      return readSetting(name, settings[name], {});
    }
  };
  const names = Object.keys(settings) as SettingName[];
  const config = withDataDir(Object.fromEntries(names.map((name) => [name, read(name)])) as Config, environment);
  // One problem per setting: a setting that is missing only because it was invalid is already listed.
  const bySetting = new Map<string, SettingProblem>();
  const all = [...findMisspelt(environment), ...problems, ...findMissing(config), ...findContradictions(config)];
  for (const problem of all) {
    if (!bySetting.has(problem.setting)) bySetting.set(problem.setting, problem);
  }
  return { config, problems: [...bySetting.values()] };
}

/** A misspelt setting would otherwise be ignored without a word. */
function findMisspelt(environment: Environment): SettingProblem[] {
  const known = Object.keys(settings);
  return Object.keys(environment)
    .filter((name) => !Object.hasOwn(settings, name))
    .flatMap((name) => {
      const near = findNearName(name, known);
      return near ? [{ setting: name, message: `${name} is not a setting; did you mean ${near}?` }] : [];
    });
}

/** An empty variable counts as unset: compose files and shells pass an unset variable like that. */
function readSetting(name: string, setting: Setting<unknown>, environment: Environment): unknown {
  const raw = environment[name]?.trim() || setting.defaultText;
  if (raw === undefined) return undefined;
  const value = setting.parse(raw);
  if (value !== undefined) return value;
  throw new ConfigError(`${name} is ${setting.secret ? 'not valid' : quote(raw)}; it must be ${setting.expects}.`);
}

/** Hides the user and password in a URL, which even a setting that is not secret may contain. */
const quote = (raw: string) => JSON.stringify(raw.replace(/\/\/[^/?#]*@/, '//…@'));

/** The SQLite file is in DATA_DIR unless DATABASE_URL is set. */
function withDataDir(config: Config, environment: Environment): Config {
  if (environment.DATABASE_URL || !environment.DATA_DIR) return config;
  return { ...config, DATABASE_URL: { engine: 'sqlite', file: join(config.DATA_DIR, 'crescendo.db') } };
}

/** BASE_URL, or the address on which the service listens. */
export const baseUrlOf = (config: Config, port: number): string => config.BASE_URL ?? ownUrlOf(config, port);

/** The address on which this machine reaches the service. */
export function ownUrlOf({ HOST }: Config, port: number): string {
  const host = ['0.0.0.0', '::'].includes(HOST) ? 'localhost' : HOST;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/**
 * How mail leaves the service. Printed mail contains sign-in codes, so a service with TLS prints it only on request.
 */
export function mailDeliveryOf({ SMTP_URL, PRINT_MAIL, BASE_URL }: Config): 'smtp' | 'printed' | 'off' {
  if (SMTP_URL !== undefined) return 'smtp';
  return (PRINT_MAIL ?? !isHttps(BASE_URL)) ? 'printed' : 'off';
}

export const isHttps = (baseUrl: string | undefined): boolean => baseUrl?.startsWith('https:') ?? false;

/** The first setting of each row requires the others. */
const REQUIRED_TOGETHER: readonly [SettingName, ...SettingName[]][] = [
  ['SECRET_KEY_OLD', 'SECRET_KEY'],
  ['APNS_KEY', 'APNS_KEY_ID', 'APNS_TEAM_ID', 'APNS_TOPIC'],
  ['APNS_KEY_ID', 'APNS_KEY'],
  ['APNS_SANDBOX_KEY', 'APNS_SANDBOX_KEY_ID', 'APNS_TEAM_ID', 'APNS_TOPIC'],
  ['APNS_SANDBOX_KEY_ID', 'APNS_SANDBOX_KEY'],
  ['APPLE_CLIENT_KEY', 'APPLE_CLIENT_KEY_ID', 'APNS_TEAM_ID', 'IDP_AUDIENCE'],
  ['APPLE_CLIENT_KEY_ID', 'APPLE_CLIENT_KEY'],
  ['IDP_CLIENT_SECRET', 'IDP_AUDIENCE'],
  ['IDP_CLIENT_KEY', 'IDP_AUDIENCE'],
  ['IDP_ALLOWED_GROUPS', 'IDP_AUDIENCE'],
  ['IDP_ADMIN_GROUPS', 'IDP_AUDIENCE'],
  ['VAPID_PUBLIC_KEY', 'VAPID_PRIVATE_KEY'],
  ['VAPID_PRIVATE_KEY', 'VAPID_PUBLIC_KEY'],
  ['PUSHOVER_TOKEN', 'PUSHOVER_SUBSCRIPTION_URL'],
  ['PUSHOVER_SUBSCRIPTION_URL', 'PUSHOVER_TOKEN'],
  ['SMS_ACCOUNT_SID', 'SMS_AUTH_TOKEN', 'SMS_FROM'],
  ['SMS_AUTH_TOKEN', 'SMS_ACCOUNT_SID'],
  ['SMS_FROM', 'SMS_ACCOUNT_SID'],
  ['SMS_COUNTRIES', 'SMS_ACCOUNT_SID'],
  ['BILLING_SIGNING_SECRET', 'BILLING_WEBHOOK_SECRET'],
];

function findMissing(config: Config): SettingProblem[] {
  return REQUIRED_TOGETHER.flatMap(([name, ...required]) => {
    if (config[name] === undefined) return [];
    const missing = required.filter((setting) => config[setting] === undefined);
    return missing.map((setting) => ({ setting, message: `${setting} is not set; ${name} requires it.` }));
  });
}

function findContradictions(config: Config): SettingProblem[] {
  const { VAPID_PUBLIC_KEY, VAPID_PRIVATE_KEY, DATABASE_URL, ROLE, SECRET_KEY } = config;
  const isPair = VAPID_PRIVATE_KEY === undefined || findPublicKey(VAPID_PRIVATE_KEY) === VAPID_PUBLIC_KEY;
  const rules: readonly [isBroken: boolean, setting: SettingName, message: string][] = [
    ...findProviderContradictions(config),
    [
      config.SMS_UNDERSTUDIES === 'on' && !config.SMS_FROM?.startsWith('MG'),
      'SMS_UNDERSTUDIES',
      'SMS_UNDERSTUDIES is on; SMS_FROM must be a messaging service (MG…), because no other sender holds messages.',
    ],
    [!isPair, 'VAPID_PUBLIC_KEY', 'VAPID_PUBLIC_KEY is not the public half of VAPID_PRIVATE_KEY.'],
    [
      DATABASE_URL.engine === 'sqlite' && ROLE !== 'all',
      'ROLE',
      `ROLE is "${ROLE}"; on SQLite it must be all, because one process does everything there.`,
    ],
    [
      DATABASE_URL.engine === 'postgres' && SECRET_KEY === undefined,
      'SECRET_KEY',
      `SECRET_KEY is not set; on PostgreSQL it must be ${settings.SECRET_KEY.expects}, the same for every process.`,
    ],
  ];
  return rules.flatMap(([isBroken, setting, message]) => (isBroken ? [{ setting, message }] : []));
}
