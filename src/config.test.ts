import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { parseEnv } from 'node:util';
import fc from 'fast-check';
import { CODE_POINT } from '../test/support/code-point.ts';
import {
  type Config,
  ConfigError,
  checkSettings,
  loadConfig,
  mailDeliveryOf,
  ownUrlOf,
  readEnvironment,
  settings,
} from './config.ts';
import { findPublicKey } from './keys/vapid-keys.ts';

const folder = mkdtempSync(join(tmpdir(), 'crescendo-test-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function fileWith(name: string, content: string): string {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

const ecKey = (namedCurve: string, type: 'pkcs8' | 'sec1' = 'pkcs8') =>
  generateKeyPairSync('ec', { namedCurve }).privateKey.export({ type, format: 'pem' }).toString();
const P256 = ecKey('P-256');
const RSA = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' });

const account = { project_id: 'p', client_email: 'e@p.example', private_key: RSA.toString() };
const readAccount = {
  projectId: 'p',
  clientEmail: 'e@p.example',
  privateKey: RSA.toString(),
  tokenUri: 'https://oauth2.googleapis.com/token',
};

/** The other settings that a setting requires. */
const REQUIRED_WITH: Partial<Record<keyof Config, Record<string, string>>> = {
  APNS_KEY: { APNS_KEY_ID: 'ABCDE12345', APNS_TEAM_ID: 'TEAM123456', APNS_TOPIC: 'org.example.app' },
  DATABASE_URL: { SECRET_KEY: 'k'.repeat(32) },
  SECRET_KEY_OLD: { SECRET_KEY: 'k'.repeat(32) },
  IDP_ALLOWED_GROUPS: { IDP_AUDIENCE: 'web' },
  IDP_ADMIN_GROUPS: { IDP_AUDIENCE: 'web' },
};

const read = <K extends keyof Config>(name: K, raw: string): Config[K] =>
  loadConfig({ ...REQUIRED_WITH[name], [name]: raw })[name];

function refusalOf(environment: Record<string, string>): string {
  try {
    loadConfig(environment);
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    return error.message;
  }
  assert.fail(`accepted ${JSON.stringify(environment)}`);
}

test('without any settings the service runs on SQLite as one process, reachable only from this machine', () => {
  const config = loadConfig({});
  assert.equal(config.PORT, 8080);
  assert.equal(config.HOST, 'localhost');
  assert.deepEqual(config.DATABASE_URL, { engine: 'sqlite', file: 'data/crescendo.db' });
  assert.equal(config.ROLE, 'all');
  assert.equal(config.CLOCK_SPEED, 1);
  assert.equal(config.TRUST_PROXY, false);
  assert.equal(config.APNS_CRITICAL, false);
  assert.equal(config.SMTP_URL, undefined);
  assert.equal(config.WEB_PUSH_HOSTS.length, 4);
  assert.ok(Object.isFrozen(config));
});

test('an empty variable counts as unset', () => {
  const empty = Object.fromEntries(Object.keys(settings).map((name) => [name, '']));
  assert.deepEqual(loadConfig(empty), loadConfig({}));
});

test('unknown variables are ignored', () => {
  assert.deepEqual(loadConfig({ PATH: '/bin', HOSTS: '1', CRESCENDO: 'x' }), loadConfig({}));
});

const accepted: [keyof Config, string, unknown][] = [
  ['PORT', '0', 0],
  ['PORT', '65535', 65_535],
  ['CLOCK_SPEED', '1', 1],
  ['CLOCK_SPEED', '1.5', 1.5],
  ['CLOCK_SPEED', '100000', 100_000],
  ['APNS_CRITICAL', 'true', true],
  ['APNS_CRITICAL', 'false', false],
  ['LOG_LEVEL', 'silent', 'silent'],
  ['BASE_URL', 'https://Example.org/', 'https://example.org'],
  ['BASE_URL', 'http://localhost:8080', 'http://localhost:8080'],
  ['HEARTBEAT_URL', 'https://u:p@ping.example/x?y=1', 'https://u:p@ping.example/x?y=1'],
  ['SMTP_URL', 'smtps://u:p@mail.example:465', 'smtps://u:p@mail.example:465'],
  ['DATABASE_URL', 'sqlite:/var/lib/c.db', { engine: 'sqlite', file: '/var/lib/c.db' }],
  ['DATABASE_URL', 'postgres://u:p@h/d', { engine: 'postgres', url: 'postgres://u:p@h/d' }],
  ['DATABASE_URL', 'postgresql://h:6543/d', { engine: 'postgres', url: 'postgresql://h:6543/d' }],
  ['TRUST_PROXY', 'false', false],
  ['TRUST_PROXY', '1', 1],
  ['TRUST_PROXY', '10', 10],
  ['TRUST_PROXY', '10.0.0.0/8, ::1, fd00::/128', ['10.0.0.0/8', '::1', 'fd00::/128']],
  ['IDP_AUDIENCE', 'one , two', ['one', 'two']],
  ['IDP_SCOPES', 'email openid groups', 'email openid groups'],
  ['IDP_ALLOWED_GROUPS', 'family, friends', ['family', 'friends']],
  ['IDP_ADMIN_GROUPS', '["cn=admins,dc=home"]', ['cn=admins,dc=home']],
  ['IDP_SESSION_DAYS', '90', 90],
  ['WEB_PUSH_HOSTS', '*.push.example,localhost:8443,[::1]:9000', ['*.push.example', 'localhost:8443', '[::1]:9000']],
  ['MAIL_FROM', 'a@b.example', 'a@b.example'],
  ['PRINT_MAIL', 'false', false],
  ['SIGN_UP', 'invite', 'invite'],
  // The host of a request is compared without its final dot.
  ['BASE_URL', 'https://Crescendo.example.', 'https://crescendo.example'],
  ['BASE_URL', 'http://crescendo.example.:8443/', 'http://crescendo.example:8443'],
  ['ALLOWED_HOSTS', 'Example.org., exämple.org,nas', ['example.org', 'xn--exmple-cua.org', 'nas']],
  ['SIGN_UP_DOMAINS', 'Example.org, exämple.org,localhost', ['example.org', 'xn--exmple-cua.org', 'localhost']],
  ['ADMINS', 'Ada@Example.org , b@c.example', ['ada@example.org', 'b@c.example']],
  ['BILLING_WEBHOOK_SECRET', 'Bearer 123456789', 'Bearer 123456789'],
  ['MAIL_FROM', 'Grüße <a@b.example>', 'Grüße <a@b.example>'],
  ['SECRET_KEY', 'k'.repeat(32), 'k'.repeat(32)],
  ['SECRET_KEY_OLD', `${'a'.repeat(32)}, ${'b'.repeat(40)}`, ['a'.repeat(32), 'b'.repeat(40)]],
  ['SECRET_KEY_OLD', `["${'a, '.repeat(16)}"]`, ['a, '.repeat(16)]],
  ['METRICS_TOKEN', 't'.repeat(16), 't'.repeat(16)],
  ['VAPID_SUBJECT', 'mailto:a@b.example', 'mailto:a@b.example'],
  ['APNS_TEAM_ID', 'TEAM123456', 'TEAM123456'],
  ['PORT', ' 80 ', 80],
  ['APNS_KEY', P256, P256.trim()],
  ['APNS_KEY', P256.replaceAll('\n', '\\n'), P256],
  ['APNS_KEY', fileWith('key.p8', P256), P256],
  ['FCM_SERVICE_ACCOUNT', JSON.stringify(account), readAccount],
  ['FCM_SERVICE_ACCOUNT', fileWith('account.json', JSON.stringify(account)), readAccount],
  ['FCM_SERVICE_ACCOUNT', JSON.stringify({ ...account, token_uri: 'x:y' }), { ...readAccount, tokenUri: 'x:y' }],
];

test('each type of setting accepts valid values, up to its limits', () => {
  for (const [name, raw, value] of accepted) assert.deepEqual(read(name, raw), value, `${name}=${raw}`);
  const sec1 = ecKey('P-256', 'sec1');
  assert.equal(read('APNS_KEY', sec1), sec1.trim());
});

const refused: [keyof Config, ...string[]][] = [
  ['PORT', '-1', '65536', '80.5', '0x50', '8 0', '1e3', '+1', '9'.repeat(400), '٣', 'abc'],
  ['CLOCK_SPEED', '0', '0.999999', '100000.1', '.5', '1.', '1e3', 'Infinity', 'NaN', '1,5'],
  ['RATE_LIMIT_PER_MINUTE', '0', '100000001', 'none'],
  ['IDP_SCOPES', 'email', 'openid  email', 'openidx', 'x-openid', 'openid\temail'],
  ['IDP_CLIENT_AUTH', 'basic', 'none', 'client_secret_jwt'],
  ['IDP_SESSION_DAYS', '0', '91'],
  ['APNS_CRITICAL', 'TRUE', 'yes', '1'],
  ['LOG_LEVEL', 'INFO', 'loud'],
  ['BASE_URL', 'example.org', 'ftp://example.org', 'https://x/path', 'https://x/?q', 'https://x/#h', 'https://u@x'],
  ['HEARTBEAT_URL', 'ping.example', 'ftp://ping.example', 'https://', 'javascript:alert(1)'],
  ['SMTP_URL', 'mail.example:25', 'smtp:', 'smtp://', 'http://mail.example'],
  [
    'DATABASE_URL',
    'sqlite:',
    'sqlite://c.db',
    'sqlite:///c.db',
    'sqlite::memory:',
    'postgres:',
    'postgres://',
    'mysql://h/d',
    'c.db',
  ],
  ['TRUST_PROXY', 'true', '0', '11', '-1', '999.1.1.1', '10.0.0.0/33', '::/129', '10.0.0.0/8/8', '10.0.0.1,', 'lan'],
  ['IDP_AUDIENCE', 'a,,b', ',', 'a b'],
  ['WEB_PUSH_HOSTS', 'https://x', 'x/y', '*', '**.x', '*x', 'a b', 'x:', 'x:123456', 'x,', 'u@x', 'X.example'],
  ['MAIL_FROM', 'nobody', 'a@b\nBcc: c@d', 'A\r\nBcc: c@d <a@b>', '<a@b> <c@d>', 'A <a b@c>'],
  ['SIGN_UP', 'closed', 'Open'],
  [
    'ALLOWED_HOSTS',
    '*',
    '*.example.org',
    '.fritz.box',
    'a..b',
    'example.org:8080',
    'https://example.org',
    'a/b',
    'a,',
    'a b',
    'u@a',
    '1.2.3.4.5',
  ],
  ['SIGN_UP_DOMAINS', '@example.org', '*.example.org', 'a@example.org', 'example.org,', 'exa mple.org', 'a..b'],
  [
    'ADMINS',
    'ada',
    'ada@',
    'ada@a.example@b.example',
    'Ada <ada@a.example>',
    'ada@a.example;b@b.example',
    '\u{212A}ate@a.example',
  ],
  ['BILLING_WEBHOOK_SECRET', 'b'.repeat(15)],
  ['SECRET_KEY', 'k'.repeat(31)],
  ['SECRET_KEY_OLD', 'k'.repeat(31), `${'k'.repeat(32)},short`, '["short"]', '[1]', `["${'k'.repeat(32)}"`],
  ['METRICS_TOKEN', 't'.repeat(15)],
  ['APNS_TEAM_ID', 'TEAM12345', 'TEAM1234567', 'team123456'],
  ['VAPID_PUBLIC_KEY', 'A'.repeat(86), 'A'.repeat(88), `${'A'.repeat(86)}=`],
  ['VAPID_SUBJECT', 'a@b.example', 'http://x.example', 'mailto:nobody'],
  [
    'APNS_KEY',
    'not a key',
    '-----BEGIN PRIVATE KEY-----',
    RSA.toString(),
    ecKey('P-384'),
    folder,
    join(folder, 'none'),
  ],
  ['FCM_SERVICE_ACCOUNT', '{', '{}', 'null', folder, JSON.stringify({ ...account, private_key: 'x' })],
  ['FCM_SERVICE_ACCOUNT', JSON.stringify({ ...account, project_id: '' }), JSON.stringify({ ...account, token_uri: 1 })],
];

test('each type of setting refuses invalid values, in one line that names the setting and describes a valid value', () => {
  for (const [name, ...values] of refused) {
    for (const raw of values) {
      const message = refusalOf({ ...REQUIRED_WITH[name], [name]: raw });
      assert.ok(message.startsWith(`${name} is `), message);
      assert.ok(message.endsWith(`; it must be ${settings[name].expects}.`), message);
      assert.doesNotMatch(message, /[\r\n]/);
    }
  }
});

const SECRETS = [
  'DATABASE_URL',
  'SECRET_KEY',
  'SECRET_KEY_OLD',
  'METRICS_TOKEN',
  'HEARTBEAT_URL',
  'SMTP_URL',
  'APPLE_CLIENT_KEY',
  'APNS_KEY',
  'APNS_SANDBOX_KEY',
  'FCM_SERVICE_ACCOUNT',
  'VAPID_PRIVATE_KEY',
  'BILLING_WEBHOOK_SECRET',
  'BILLING_SIGNING_SECRET',
] as const satisfies (keyof Config)[];

test('no error message repeats a secret, nor any part of it', () => {
  // A setting that is no secret is repeated, without what may be one.
  assert.match(refusalOf({ BASE_URL: 'https://me:hunter2@x' }), /^BASE_URL is "https:\/\/…@x"; /);
  for (const name of SECRETS) {
    assert.ok(settings[name].secret, `${name} is not marked as secret`);
    for (const raw of ['hunter2', 'x://u:hunter2@h/d', '{"private_key":"hunter2"}', '-----BEGIN hunter2']) {
      if (settings[name].parse(raw.trim()) === undefined) assert.doesNotMatch(refusalOf({ [name]: raw }), /hunter2/);
    }
  }
});

test('any text is either accepted or refused with a ConfigError of one line', () => {
  const anySetting = fc.constantFrom(...(Object.keys(settings) as (keyof Config)[]));
  fc.assert(
    fc.property(anySetting, fc.string({ unit: CODE_POINT, minLength: 1 }), (name, raw) => {
      if (raw.trim() !== '' && settings[name].parse(raw.trim()) === undefined)
        assert.doesNotMatch(refusalOf({ [name]: raw }), /[\r\n]/);
    }),
  );
});

/** The private key 1, whose public half is the generator of the curve. */
const one = `${'A'.repeat(42)}E`;
const vapid = { VAPID_PUBLIC_KEY: findPublicKey(one) ?? '', VAPID_PRIVATE_KEY: one };
const apns = { APNS_KEY: P256, ...REQUIRED_WITH.APNS_KEY };
const sandbox = {
  APNS_SANDBOX_KEY: P256,
  APNS_SANDBOX_KEY_ID: 'ABCDE12345',
  APNS_TEAM_ID: 'TEAM123456',
  APNS_TOPIC: 'x',
};
const apple = {
  APPLE_CLIENT_KEY: P256,
  APPLE_CLIENT_KEY_ID: 'ABCDE12345',
  APNS_TEAM_ID: 'TEAM123456',
  IDP_AUDIENCE: 'x',
};
const billing = { BILLING_SIGNING_SECRET: 's', BILLING_WEBHOOK_SECRET: 'w'.repeat(16) };

const keys = { SECRET_KEY: 'k'.repeat(32), SECRET_KEY_OLD: 'o'.repeat(32) };

const sms = { SMS_ACCOUNT_SID: 'AC1', SMS_AUTH_TOKEN: 'x'.repeat(32), SMS_FROM: '+447700900123' };

const requiredTogether: [Record<string, string>, ...string[]][] = [
  [keys, 'SECRET_KEY'],
  [apns, 'APNS_KEY', 'APNS_KEY_ID', 'APNS_TEAM_ID', 'APNS_TOPIC'],
  [sandbox, 'APNS_SANDBOX_KEY', 'APNS_SANDBOX_KEY_ID', 'APNS_TEAM_ID', 'APNS_TOPIC'],
  [apple, 'APPLE_CLIENT_KEY', 'APPLE_CLIENT_KEY_ID', 'APNS_TEAM_ID', 'IDP_AUDIENCE'],
  [{ IDP_CLIENT_SECRET: 's3cret-of-the-client', IDP_AUDIENCE: 'web' }, 'IDP_AUDIENCE'],
  [{ IDP_CLIENT_KEY: P256, IDP_AUDIENCE: 'web' }, 'IDP_AUDIENCE'],
  [{ IDP_ALLOWED_GROUPS: 'family', IDP_AUDIENCE: 'web' }, 'IDP_AUDIENCE'],
  [{ IDP_ADMIN_GROUPS: 'admins', IDP_AUDIENCE: 'web' }, 'IDP_AUDIENCE'],
  [vapid, 'VAPID_PUBLIC_KEY', 'VAPID_PRIVATE_KEY'],
  [billing, 'BILLING_WEBHOOK_SECRET'],
  [
    { PUSHOVER_TOKEN: 'a'.repeat(30), PUSHOVER_SUBSCRIPTION_URL: 'https://pushover.net/subscribe/x' },
    'PUSHOVER_TOKEN',
    'PUSHOVER_SUBSCRIPTION_URL',
  ],
  [sms, 'SMS_ACCOUNT_SID', 'SMS_AUTH_TOKEN', 'SMS_FROM'],
  [{ ...sms, SMS_COUNTRIES: '+49' }, 'SMS_ACCOUNT_SID'],
];

test('settings that require each other are accepted together, and a missing one is named', () => {
  for (const [whole, ...needed] of requiredTogether) {
    assert.doesNotThrow(() => loadConfig(whole));
    for (const missing of needed) {
      const message = refusalOf({ ...whole, [missing]: '' });
      assert.match(message, new RegExp(`^${missing} is not set; [A-Z_]+ requires it\\.$`));
    }
  }
});

test('checkSettings names every invalid setting once, and treats it as unset', () => {
  const { config, problems } = checkSettings({
    ...apns,
    PORT: 'x',
    APNS_KEY_ID: 'wrong',
    APNS_TOPIC: '',
    HOST: 'h',
  });
  assert.deepEqual(
    problems.map(({ setting }) => setting),
    ['PORT', 'APNS_KEY_ID', 'APNS_TOPIC'],
  );
  assert.match(problems[1]?.message ?? '', /^APNS_KEY_ID is "wrong"; it must be /);
  assert.deepEqual([config.PORT, config.HOST, config.APNS_KEY_ID], [8080, 'h', undefined]);
});

test('a way to prove who the service is needs its secret or its key, and someone must be able to sign in', () => {
  const web = { IDP_AUDIENCE: 'web' };
  assert.match(
    refusalOf({ ...web, IDP_CLIENT_AUTH: 'private_key_jwt' }),
    /^IDP_CLIENT_KEY is not set; IDP_CLIENT_AUTH=/,
  );
  for (const IDP_CLIENT_AUTH of ['client_secret_basic', 'client_secret_post'])
    assert.match(refusalOf({ ...web, IDP_CLIENT_AUTH }), /^IDP_CLIENT_SECRET is not set; IDP_CLIENT_AUTH=/);
  assert.match(refusalOf({ EMAIL_SIGN_IN: 'false' }), /^EMAIL_SIGN_IN is false; .* nobody could sign in/);
  assert.equal(loadConfig({ ...web, EMAIL_SIGN_IN: 'false' }).EMAIL_SIGN_IN, false);
});

test('VAPID keys that are not a pair are refused', () => {
  const message = refusalOf({ ...vapid, VAPID_PUBLIC_KEY: 'B'.repeat(87) });
  assert.match(message, /^VAPID_PUBLIC_KEY is not the public half of VAPID_PRIVATE_KEY/);
});

test('on PostgreSQL a role is possible and a shared key is required', () => {
  const postgres = { DATABASE_URL: 'postgres://u:hunter2@h/d', SECRET_KEY: 'k'.repeat(32) };
  assert.equal(loadConfig({ ...postgres, ROLE: 'api' }).ROLE, 'api');
  assert.match(refusalOf({ ROLE: 'engine' }), /^ROLE is "engine"; on SQLite it must be all/);
  const message = refusalOf({ ...postgres, SECRET_KEY: '' });
  assert.match(message, /^SECRET_KEY is not set; on PostgreSQL it must be at least 32 random characters/);
  assert.doesNotMatch(message, /hunter2/);
});

test('the SQLite file is in DATA_DIR unless DATABASE_URL is set', () => {
  const inFolder = { engine: 'sqlite', file: join('/srv/c', 'crescendo.db') };
  assert.deepEqual(loadConfig({ DATA_DIR: '/srv/c' }).DATABASE_URL, inFolder);
  const elsewhere = loadConfig({ DATA_DIR: '/srv/c', DATABASE_URL: 'sqlite:own.db' });
  assert.deepEqual(elsewhere.DATABASE_URL, { engine: 'sqlite', file: 'own.db' });
});

test('only a messaging service holds text messages', () => {
  const sms = { SMS_ACCOUNT_SID: 'AC1', SMS_AUTH_TOKEN: 'x'.repeat(32), SMS_UNDERSTUDIES: 'on' };
  const service = `MG${'0'.repeat(32)}`;
  assert.equal(loadConfig({ ...sms, SMS_FROM: service }).SMS_UNDERSTUDIES, 'on');
  for (const settings of [{ ...sms, SMS_FROM: '+447700900123' }, { SMS_UNDERSTUDIES: 'on' }])
    assert.match(refusalOf(settings), /^SMS_UNDERSTUDIES is on; SMS_FROM must be a messaging service/);
});

test('a .env file adds to the environment and never overrides it', () => {
  const environment = { PORT: '1', HOST: 'a' };
  assert.equal(readEnvironment(folder, environment), environment);
  fileWith('.env', '# comment\nPORT=2\nLOG_LEVEL="warn"\n');
  assert.deepEqual({ ...readEnvironment(folder, environment) }, { PORT: '1', HOST: 'a', LOG_LEVEL: 'warn' });
  assert.equal(loadConfig(readEnvironment(folder, { PORT: '' })).PORT, 8080, 'an empty variable wins too');
  fileWith('.env', '\uFEFFPORT=2\n');
  assert.equal(loadConfig(readEnvironment(folder, {})).PORT, 2, 'an editor may have put a mark before the first name');
});

test('a name that is nearly a setting is refused, and variables of other programs are not', () => {
  const misspelt = {
    SIGNUP: 'SIGN_UP',
    SMTP_ULR: 'SMTP_URL',
    smtp_url: 'SMTP_URL',
    PROT: 'PORT',
    ADMIN: 'ADMINS',
    DATABASE_URI: 'DATABASE_URL',
    BASEURL: 'BASE_URL',
    'MAIL-FROM': 'MAIL_FROM',
    TRUSTED_PROXY: 'TRUST_PROXY',
    IDP_ALOWED_GROUP: 'IDP_ALLOWED_GROUPS',
  };
  for (const [name, meant] of Object.entries(misspelt))
    assert.equal(refusalOf({ [name]: 'x' }), `${name} is not a setting; did you mean ${meant}?`);
  const ofOthers =
    'HOME HOSTS HOSTNAME PATH PORTS POST PGHOST PGPORT ROLES MODE MAIL LOGNAME LANG TERM USER SHLVL NODE_ENV ' +
    'POSTGRES_PASSWORD SMTP_HOST OTEL_EXPORTER_OTLP_HEADERS CRESCENDO_PORT npm_config_host KUBERNETES_SERVICE_PORT';
  loadConfig(Object.fromEntries(ofOthers.split(' ').map((name) => [name, 'x'])));
});

test('a password that would be cut off in its URL is refused with the way to write it', () => {
  for (const password of ['p@ss#w', 'p/w', 'p#w', 'p?w@x', '12/w', 'p%w']) {
    const message = refusalOf({ SMTP_URL: `smtp://me:${password}@mail.example.org:587` });
    assert.match(message, /^SMTP_URL is not valid; .*%40 for @, %23 for #, %3A for :, %2F for \//);
    assert.match(refusalOf({ DATABASE_URL: `postgres://me:${password}@db/name` }), /^DATABASE_URL is not valid; .*%40/);
  }
  loadConfig({ SMTP_URL: `smtp://me:${encodeURIComponent('p@ss#w:/?%')}@mail.example.org:587` });
});

test('a file of certificates must hold some', () => {
  const file = join(folder, 'authority.pem');
  assert.match(refusalOf({ EXTRA_CA_FILE: file }), /^EXTRA_CA_FILE is .* readable file with certificates in PEM form/);
  fileWith('authority.pem', 'not a certificate');
  assert.match(refusalOf({ EXTRA_CA_FILE: file }), /^EXTRA_CA_FILE is /);
});

const example = readFileSync(join(import.meta.dirname, '../.env.example'), 'utf8');
const exampleLines = example.split('\n');
const SETTING_LINE = /^# ([A-Z][A-Z0-9_]*)=(.*)$/;

test('.env.example lists every setting exactly once, with its default', () => {
  const listed = exampleLines.flatMap((line) => {
    const [, name, value] = SETTING_LINE.exec(line) ?? [];
    return name === undefined ? [] : [[name, value]];
  });
  const existing = Object.entries(settings).map(([name, { defaultText: fallback }]) => [name, fallback ?? '']);
  assert.deepEqual(listed.toSorted(), existing.toSorted());
});

test('.env.example explains every setting', () => {
  exampleLines.forEach((line, index) => {
    const above = exampleLines[index - 1] ?? '';
    if (SETTING_LINE.test(line)) assert.match(above, /^# (?!──|[A-Z][A-Z0-9_]*=)\S.*\w/, `nothing above ${line}`);
    assert.match(line, /^(#.*)?$/);
  });
});

test('.env.example with every line uncommented changes nothing', () => {
  const uncommented = exampleLines.map((line) => line.replace(SETTING_LINE, '$1=$2')).join('\n');
  assert.deepEqual(loadConfig(parseEnv(uncommented)), loadConfig({}));
});

test('mail with sign-in codes is printed where nobody else reads along, or on request', () => {
  const tls = { BASE_URL: 'https://crescendo.example' };
  const delivery = (environment: Record<string, string>) => mailDeliveryOf(loadConfig(environment));
  assert.deepEqual([delivery({}), delivery({ PRINT_MAIL: 'false' })], ['printed', 'off']);
  assert.deepEqual([delivery(tls), delivery({ ...tls, PRINT_MAIL: 'true' })], ['off', 'printed']);
  assert.equal(delivery({ SMTP_URL: 'smtp://localhost', PRINT_MAIL: 'true' }), 'smtp');
});

test('this machine reaches the service also where it listens on every address, or on one of IPv6', () => {
  const own = (HOST: string) => ownUrlOf(loadConfig({ HOST }), 8080);
  assert.deepEqual(['0.0.0.0', '::', 'localhost'].map(own), Array(3).fill('http://localhost:8080'));
  assert.deepEqual([own('::1'), own('10.0.0.2')], ['http://[::1]:8080', 'http://10.0.0.2:8080']);
});
