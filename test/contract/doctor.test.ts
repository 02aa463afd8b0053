/** The doctor's findings: each test plants one fault in a healthy installation. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, get, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, createServer as createSocketServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { SMTPServer } from 'smtp-server';
import type { Finding } from '../../src/cli/doctor/check.ts';
import { newId } from '../../src/lib/ids.ts';
import { FakeApns } from '../support/apns-server.ts';
import { type CommandResult, runCommand, startCliTestApp } from '../support/command-line.ts';
import { COMPILE_CACHE } from '../support/compile-cache.ts';
import { createDatabase, type EngineName, onEveryEngine, onlyOn, runOn } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import type { ScriptedAnswer } from '../support/faults.ts';
import { FakeFcm } from '../support/fcm-server.ts';
import { freePort } from '../support/free-port.ts';
import { HttpRecorder } from '../support/http-recorder.ts';
import { FakeIdentityProvider } from '../support/identity-provider.ts';
import { startMailCatcher } from '../support/mail-catcher.ts';
import { OpenIdProvider } from '../support/openid-provider.ts';
import { createPerson } from '../support/people.ts';
import { channelRow } from '../support/stored-channel.ts';
import { storedDelivery } from '../support/stored-delivery.ts';
import { understudyRow } from '../support/stored-understudy.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { FakeWebPush } from '../support/web-push-service.ts';

type Settings = Readonly<Record<string, string>>;
type Found = Finding & { readonly check: string };

const USER = { user: 'crescendo', pass: 'the right password' };
const ROOM = { VAPID_SUBJECT: 'mailto:ops@example.org', MAIL_FROM: 'Crescendo <hello@example.org>' };

/** A mail server that requires a password. */
async function startSmtp(options: ConstructorParameters<typeof SMTPServer>[0] = {}) {
  const server = new SMTPServer({
    logger: false,
    authMethods: ['PLAIN'],
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    onAuth: ({ username, password }, _session, done) =>
      username === USER.user && password === USER.pass ? done(null, { user: username }) : done(new Error('no')),
    ...options,
  });
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  const url = (password: string, scheme = 'smtp') =>
    `${scheme}://${USER.user}:${encodeURIComponent(password)}@127.0.0.1:${port}`;
  return { url, [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())) };
}

/** The doctor compares its clock with that of the database, which runs. */
const realTime = (): FakeClock => Object.assign(new FakeClock(), { now: () => new Date() });

/** A service with everything it can connect to, in real time. */
async function startWell(engine: EngineName) {
  const parts = new AsyncDisposableStack();
  const clock = realTime();
  const apns = parts.use(await FakeApns.start(clock, { scheme: 'http' }));
  const fcm = parts.use(await FakeFcm.start(clock));
  const idp = parts.use(await FakeIdentityProvider.start(clock));
  const push = parts.use(await FakeWebPush.start(clock));
  const channels = parts.use(await HttpRecorder.start());
  const smtp = parts.use(await startSmtp());
  const vapid = generateVapid();
  const settings = {
    ...apns.settings,
    ...fcm.settings,
    ...idp.settings,
    ...push.settings,
    ...vapid,
    ...ROOM,
    NTFY_SERVER: channels.origin,
  };
  const cli = parts.use(await startCliTestApp(engine, { ...settings, SMTP_URL: smtp.url(USER.pass) }, clock));
  await cli.app.fastify.listen({ port: 0, host: '127.0.0.1' });
  const { port } = cli.app.fastify.server.address() as AddressInfo;
  const environment: Settings = { ...cli.environment, BASE_URL: `http://127.0.0.1:${port}` };
  const examine = (changes: Settings = {}, at = clock) =>
    runCommand(['doctor', '--json'], { ...environment, ...changes }, { clock: at });
  return {
    ...cli,
    environment,
    apns,
    fcm,
    idp,
    smtp,
    channels,
    examine,
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

function generateVapid(): Settings {
  const {
    d = '',
    x = '',
    y = '',
  } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
  const point = Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
  return { VAPID_PRIVATE_KEY: d, VAPID_PUBLIC_KEY: point.toString('base64url') };
}

const findingsOf = ({ json }: CommandResult): Found[] => json.data.findings;
const bad = (outcome: CommandResult) => findingsOf(outcome).filter(({ verdict }) => verdict !== 'ok');

/** The one finding that is bad. */
function only(outcome: CommandResult): Found {
  const [finding, ...others] = bad(outcome);
  assert.ok(finding, outcome.out);
  assert.deepEqual(others, []);
  assert.ok(finding.remedy, 'the finding has no remedy');
  assert.equal(outcome.code, finding.verdict === 'fault' ? 1 : 0);
  return finding;
}

const otherKey = () =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

/** A server that accepts connections and never answers. */
async function startSilence() {
  const called = Promise.withResolvers<void>();
  const sockets = new Set<Socket>();
  const server = createSocketServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    called.resolve();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const dispose = async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  };
  const { port } = server.address() as AddressInfo;
  return { called: called.promise, port, [Symbol.asyncDispose]: dispose };
}

const INSTANCE = 'crescendo-instance';

/** A proxy that changes the headers of answers, and passes requests on under the host name that it got or another one. */
async function startProxy(
  target: string,
  change: (headers: IncomingHttpHeaders) => IncomingHttpHeaders,
  { host = new URL(target).host, refuses = (): boolean => false } = {},
) {
  const server = createServer(async ({ url = '' }, response) => {
    if (refuses()) return void response.writeHead(502).end();
    const passed = get(`${target}${url}`, { headers: { host } });
    const [answer] = (await once(passed, 'response')) as [IncomingMessage];
    answer.pipe(response.writeHead(answer.statusCode ?? 500, change(answer.headers)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const dispose = async () => {
    server.closeAllConnections();
    server.close();
  };
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, [Symbol.asyncDispose]: dispose };
}

onEveryEngine((engine, it) => {
  it('a healthy installation has no findings, while the service runs, and the doctor leaves no file behind', async () => {
    await using well = await startWell(engine);
    const folder = well.environment.DATA_DIR;
    const before = folder && readdirSync(folder).sort();
    const outcome = await well.examine();
    assert.deepEqual(bad(outcome), []);
    assert.equal(outcome.code, 0);
    for (const name of ['settings', 'database', 'service', 'mail', 'APNs', 'APNs sandbox', 'FCM', 'Web Push', 'clock'])
      assert.ok(
        findingsOf(outcome).some(({ check }) => check === name),
        `${name} was not checked`,
      );
    assert.deepEqual(folder && readdirSync(folder).sort(), before);
    assert.equal(well.fcm.messages.length, 0);
    assert.equal(outcome.err, '');
    const { out } = await runCommand(['doctor'], well.environment);
    assert.match(out, /\n\nno faults, no warnings\.\n$/);
    assert.equal(out.split('\n').length, findingsOf(outcome).length + 3);
  });

  it('the administrators are counted by where each comes from, and an installation without one is warned', async () => {
    await using well = await startWell(engine);
    const { db } = well.app;
    const administratorsOf = async (changes: Settings = {}) => {
      const outcome = await well.examine(changes);
      assert.doesNotMatch(outcome.out, /(ada|bob|cleo|dan)@example\.org/);
      const found = findingsOf(outcome).find(({ check }) => check === 'administrators');
      return found && [found.verdict, found.says];
    };
    const strangersReach = { HOST: '0.0.0.0', BASE_URL: '' };
    assert.equal(await administratorsOf(), undefined);
    const people = ['ada', 'bob', 'cleo', 'dan'].map((name) => `${name}@example.org`);
    const [ada, bob, cleo, dan] = await Promise.all(people.map((email) => createPerson(well.app, email)));
    assert.ok(ada && bob && cleo && dan);
    assert.deepEqual(await administratorsOf(), ['warning', 'nobody administers this installation']);
    const set = (id: string, changes: object) => db.updateTable('users').set(changes).where('id', '=', id).execute();
    await set(ada.userId, { first_account: true });
    assert.deepEqual(await administratorsOf(), [
      'ok',
      '1 as the first account of a private service, before a word was needed',
    ]);
    assert.deepEqual(await administratorsOf(strangersReach), ['warning', 'nobody administers this installation']);
    await set(bob.userId, { admin_by_provider: true });
    await set(cleo.userId, { is_admin: true });
    await set(dan.userId, { is_admin: true });
    const ADMINS = 'dan@example.org,nobody@example.org';
    assert.deepEqual(await administratorsOf({ ...strangersReach, ADMINS }), [
      'ok',
      `1 by ADMINS, 1 by the identity provider's groups, 1 by "crescendo user admin" or the word of the terminal`,
    ]);
    for (const { userId } of [bob, cleo, dan]) await set(userId, { suspended_at: well.app.clock.now() });
    assert.equal((await administratorsOf({ ...strangersReach, ADMINS }))?.[0], 'warning');
  });

  it('the doctor says whether anything elsewhere tells people that the service is down, and warns if nothing can', async () => {
    await using well = await startWell(engine);
    const { db, clock } = well.app;
    await well.app.engine?.stop();
    const look = async (changes: Settings = {}) => {
      const found = findingsOf(await well.examine(changes)).find(({ check }) => check === 'understudies');
      return found && `${found.verdict}: ${found.says}`;
    };
    assert.equal(await look(), undefined);
    const { userId } = await createPerson(well.app, 'ada@example.org');
    assert.match((await look()) ?? '', /^ok: nobody has a channel that tells them/);
    const channel = channelRow(clock.now(), { user_id: userId, provider: 'ntfy', server: 'https://localhost:8090' });
    await db.insertInto('channels').values(channel).execute();
    assert.match((await look()) ?? '', /^warning: only localhost could hold messages, and that is this machine/);
    assert.match((await look({ UNDERSTUDIES: 'off' })) ?? '', /^ok: off/);
    await db.updateTable('channels').set({ server: 'https://ntfy.sh' }).execute();
    assert.equal(await look(), 'warning: no message is held yet');
    const person = { user_id: userId, first_at: null, check_at: clock.now(), channel_id: channel.id };
    const held = { state: 'held' as const, horizon_seconds: 3 * 86_400 };
    await db
      .insertInto('understudy_people')
      .values({ ...person, ...held })
      .execute();
    const later = new Date(clock.now().getTime() + 3_600_000);
    const message = understudyRow(channel, { sounds_at: later, error: 'server_too_old' });
    await db.insertInto('understudies').values(message).execute();
    assert.match((await look()) ?? '', /^warning: ntfy\.sh holds no message: .* ntfy 2\.16 or newer/);
    const moved_at = clock.now();
    await db.updateTable('understudies').set({ held_until: later, moved_at, error: null, stored_version: 1 }).execute();
    const at = moved_at.toISOString();
    assert.equal(await look(), `ok: people with messages held: 1 at ntfy.sh, for up to 72 h, last moved ${at}`);
    const change = (changes: object) => db.updateTable('understudy_people').set(changes).execute();
    await change({ horizon_seconds: 12 * 3_600 });
    assert.match((await look()) ?? '', /^warning: a server holds messages for less than a day \(12 h\): 1 at ntfy\.sh/);
    await change({ state: 'one' });
    assert.match((await look()) ?? '', /^warning: 1 of 1 people have one message held or none/);
    await change(held);
    await db
      .updateTable('understudies')
      .set({ moved_at: new Date(moved_at.getTime() - 27 * 3_600_000) })
      .execute();
    assert.match((await look()) ?? '', /^warning: no message was moved since/);
  });

  it('a delivery that nobody sends is a warning with how long it has waited', async () => {
    await using well = await startWell(engine);
    await well.app.engine?.stop();
    const now = well.app.clock.now().getTime();
    const task = { id: newId(), owner_id: newId() };
    const delivery = (seconds: number, next_attempt_at: Date) =>
      storedDelivery(task, { next_attempt_at, created_at: new Date(now - seconds * 1_000) });
    const insert = (row: ReturnType<typeof delivery>) => well.app.db.insertInto('deliveries').values(row).execute();
    await insert(delivery(60, new Date(0)));
    assert.deepEqual(bad(await well.examine()), []);
    await insert(delivery(300, new Date(0)));
    await insert(delivery(9_000, new Date(now + 3_600_000)));
    // Made long ago, and due again since a moment ago.
    await insert(delivery(9_000, new Date(now - 10_000)));
    const found = only(await well.examine());
    assert.deepEqual([found.check, found.verdict], ['outbox', 'warning']);
    assert.match(found.says, /has waited for 3\d\d s \(fcm\)/);
  });

  it('credentials that Apple or Google refuse are a fault that names what to compare', async () => {
    await using well = await startWell(engine);
    const [wrongKey, ...sandbox] = bad(await well.examine({ APNS_KEY: otherKey() }));
    assert.deepEqual([wrongKey?.check, wrongKey?.verdict, sandbox.length], ['APNs', 'fault', 1]);
    assert.match(`${wrongKey?.says} ${wrongKey?.remedy}`, /InvalidProviderToken.*APNS_KEY_ID/);
    const [topic] = bad(await well.examine({ APNS_TOPIC: 'org.example.other' }));
    assert.match(`${topic?.says} ${topic?.remedy}`, /TopicDisallowed.*bundle id/);
    const [unreachable] = bad(await well.examine({ APNS_ORIGIN: `http://127.0.0.1:${await freePort()}` }));
    assert.match(unreachable?.says ?? '', /^Apple did not answer: unreachable/);
    well.apns.refuseNext(1, { status: 400, reason: 'BadDeviceToken' });
    assert.deepEqual(bad(await well.examine()), []);

    const account = JSON.parse(well.environment.FCM_SERVICE_ACCOUNT ?? '');
    const private_key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
      type: 'pkcs8',
      format: 'pem',
    });
    const fcm = only(await well.examine({ FCM_SERVICE_ACCOUNT: JSON.stringify({ ...account, private_key }) }));
    assert.deepEqual([fcm.check, fcm.says], ['FCM', 'Google refuses us: invalid_grant']);
    const project = only(
      await well.examine({ FCM_SERVICE_ACCOUNT: JSON.stringify({ ...account, project_id: 'other' }) }),
    );
    assert.match(project.remedy ?? '', /project_id/);
  });

  it('each provider of channels is asked without a message to anyone, and what it refuses is a fault', async () => {
    await using well = await startWell(engine);
    const { origin } = well.channels;
    const sid = `AC${'0'.repeat(32)}`;
    const settings = {
      NTFY_TOKEN: 'tk_secret',
      TELEGRAM_BOT_TOKEN: `123456:${'a'.repeat(35)}`,
      TELEGRAM_ORIGIN: origin,
      PUSHOVER_TOKEN: 'b'.repeat(30),
      PUSHOVER_SUBSCRIPTION_URL: 'https://pushover.net/subscribe/Crescendo-x1',
      PUSHOVER_ORIGIN: origin,
      SMS_ACCOUNT_SID: sid,
      SMS_AUTH_TOKEN: 'c'.repeat(32),
      SMS_FROM: '+15005550006',
      SMS_ORIGIN: origin,
    };
    assert.deepEqual(bad(await well.examine(settings)), []);
    const asked = well.channels.requests.splice(0).map(({ method, path }) => `${method} ${path}`);
    const calls = {
      ntfy: 'GET /v1/account',
      telegram: `POST /bot${settings.TELEGRAM_BOT_TOKEN}/getMe`,
      pushover: `GET /1/apps/limits.json?token=${settings.PUSHOVER_TOKEN}`,
      sms: `GET /2010-04-01/Accounts/${sid}.json`,
    };
    assert.deepEqual(asked.sort(), Object.values(calls).sort());
    const REFUSALS: readonly [check: keyof typeof calls, answer: ScriptedAnswer, says: RegExp][] = [
      ['ntfy', { status: 401, body: { code: 40101 } }, /^fault .*credentials_refused.*NTFY_TOKEN/],
      ['ntfy', { status: 502 }, /^warning .*http_502/],
      ['telegram', { status: 401, body: { ok: false } }, /^fault .*http_401.*BotFather/],
      ['pushover', { status: 400, body: { token: 'invalid' } }, /^fault .*http_400.*PUSHOVER_TOKEN/],
      ['pushover', { status: 200, body: { remaining: 0 } }, /^fault .*quota_used_up.*next month/],
      ['sms', { status: 401, body: { code: 20003 } }, /^fault .*http_401.*SMS_AUTH_TOKEN/],
      ['sms', { status: 200, body: { status: 'suspended' } }, /^fault .*account_suspended/],
      // Other services with Twilio's protocol may have no such resource.
      ['sms', { status: 404 }, /^warning .*http_404/],
    ];
    for (const [check, answer, says] of REFUSALS) {
      well.channels.respondTo = ({ method, path }) => (`${method} ${path}` === calls[check] ? answer : { status: 200 });
      const outcome = await well.examine(settings);
      const found = only(outcome);
      assert.match(`${found.verdict} ${found.check}: ${found.says} ${found.remedy}`, says);
      assert.equal(found.check, check);
      assert.doesNotMatch(outcome.out, /tk_secret|aaaaa|bbbbb|ccccc/);
    }
    const port = await freePort();
    const silent = only(await well.examine({ NTFY_SERVER: `http://127.0.0.1:${port}` }));
    assert.deepEqual([silent.check, silent.verdict], ['ntfy', 'warning']);
  });

  it('mail: no server, a wrong password and a TLS failure are distinguished, and no password is shown', async () => {
    await using well = await startWell(engine);
    const unreachable = only(await well.examine({ SMTP_URL: `smtp://u:hunter2!@127.0.0.1:${await freePort()}` }));
    assert.match(unreachable.says, /^127\.0\.0\.1:\d+ cannot be reached: .*ECONNREFUSED/);
    const wrong = await well.examine({ SMTP_URL: well.smtp.url('hunter2 hunter2') });
    assert.match(only(wrong).says, /refuses the user or password$/);
    const tls = only(await well.examine({ SMTP_URL: well.smtp.url(USER.pass, 'smtps') }));
    assert.match(`${tls.says} ${tls.remedy}`, /could not set up TLS.*smtps:\/\//);
    await using untrusted = await startSmtp({ secure: true });
    assert.match(
      only(await well.examine({ SMTP_URL: untrusted.url(USER.pass, 'smtps') })).says,
      /could not set up TLS/,
    );
    const unset = only(await well.examine({ SMTP_URL: '' }));
    assert.deepEqual([unset.verdict, unset.check], ['warning', 'mail']);
    assert.match(unset.says, /sign-in codes are printed/);
    const overTls = await well.examine({ SMTP_URL: '', BASE_URL: 'https://crescendo.invalid' });
    assert.match(
      bad(overTls).find(({ check }) => check === 'mail')?.says ?? '',
      /^no mail is sent: nobody can sign in/,
    );
    assert.doesNotMatch(JSON.stringify([unreachable, wrong.out, wrong.err, tls]), /hunter2|the right password/);
  });

  it('a mail is tried up to its recipient and not sent, and who is refused is a fault that shows no address', async () => {
    await using well = await startWell(engine);
    await using smtp = await startMailCatcher();
    const examine = (settings: Settings = {}) => well.examine({ SMTP_URL: smtp.url, ...settings });
    const mailOf = (outcome: CommandResult) => findingsOf(outcome).find(({ check }) => check === 'mail');
    assert.match(mailOf(await examine())?.says ?? '', /accepts mail from MAIL_FROM to MAIL_FROM itself \(tried, and/);
    const ADMINS = 'ada@example.org,bob@firm.example';
    assert.match(mailOf(await examine({ ADMINS }))?.says ?? '', /accepts mail from MAIL_FROM to ADMINS/);
    smtp.refuseWith(553, 1, 'MAIL FROM', 'Sender address rejected: not owned by user');
    const sender = only(await examine());
    assert.match(
      `${sender.verdict} ${sender.says}`,
      /^fault 127\.0\.0\.1:\d+ refuses the sender in MAIL_FROM: 553 Sender address rejected/,
    );
    assert.match(sender.remedy ?? '', /Set MAIL_FROM to an address that the user in SMTP_URL may send from/);
    smtp.refuseWith(554, 1, 'RCPT TO', '<ada@example.org>: Relay access denied');
    const outcome = await examine({ ADMINS });
    assert.match(
      `${only(outcome).verdict} ${only(outcome).says}`,
      /^fault \S+ accepts MAIL_FROM and refuses a recipient \(ADMINS, at example\.org\): 554 <…>: Relay access denied$/,
    );
    assert.doesNotMatch(outcome.out, /ada@|bob@/);
    smtp.refuseWith(450, 1, 'RCPT TO', 'Greylisted');
    assert.equal(only(await examine()).verdict, 'warning');
    assert.deepEqual(smtp.mails, []);
  });

  it('a password is not sent to a remote mail server without TLS, unless the URL allows it', async () => {
    await using well = await startWell(engine);
    // An address of this machine that does not count as local.
    const elsewhere = (password: string) => well.smtp.url(password).replace('127.0.0.1', '0.0.0.0');
    const asked: string[] = [];
    await using smtp = await startSmtp({
      onAuth: ({ username = '' }, _session, done) => {
        asked.push(username);
        done(null, { user: username });
      },
    });
    const refused = only(await well.examine({ SMTP_URL: smtp.url(USER.pass).replace('127.0.0.1', '0.0.0.0') }));
    assert.match(
      refused.says,
      /^0\.0\.0\.0:\d+ offers no TLS, and without it the password would be sent in clear text$/,
    );
    assert.deepEqual(asked, []);
    assert.deepEqual(bad(await well.examine({ SMTP_URL: `${elsewhere(USER.pass)}?ignoreTLS=true` })), []);
  });

  it('an interrupted doctor stops at once', async () => {
    await using well = await startWell(engine);
    await using silent = await startSilence();
    const stop = new AbortController();
    void silent.called.then(() => stop.abort());
    const environment = { ...well.environment, SMTP_URL: `smtp://127.0.0.1:${silent.port}` };
    const { code, out, err } = await runCommand(['doctor'], environment, {
      signal: stop.signal,
    });
    assert.deepEqual([code, out, err], [1, '', 'Stopped.\n']);
  });

  test('a clock that is minutes off is a fault; on PostgreSQL it is said which of the two clocks is', async () => {
    await using well = await startWell(engine);
    const late = new FakeClock(new Date(Date.now() - 5 * 60_000).toISOString());
    const findings = bad(await well.examine({ APNS_KEY: '', APNS_KEY_ID: '', FCM_SERVICE_ACCOUNT: '' }, late));
    // The database's clock, which the service uses, agrees with the servers outside.
    assert.deepEqual(
      findings.map(({ check, verdict }) => [check, verdict]),
      [[engine === 'postgres' ? 'clock (database)' : 'clock', 'fault']],
    );
    for (const { says } of findings) assert.match(says, /^this machine's clock is 5 min behind that of/);
  });

  test('tables of an older or a newer release are a fault with a remedy', async () => {
    await using well = await startWell(engine);
    await sql`delete from kysely_migration where name = '0010-key-ids'`.execute(well.app.db);
    const older = only(await well.examine());
    assert.deepEqual([older.check, older.remedy], ['database', 'crescendo migrate']);
    const refused = await well.command('user', 'list');
    assert.deepEqual([refused.code, refused.out], [1, '']);
    assert.match(
      refused.err,
      /^The database schema is older than .* Run "crescendo migrate", or start the service\.\n$/,
    );
    await sql`insert into kysely_migration (name, timestamp) values ('9999-later', '')`.execute(well.app.db);
    assert.match(only(await well.examine()).says, /is newer than Crescendo/);
    assert.match((await well.command('user', 'list')).err, /is newer than Crescendo .*\n$/);
  });

  it('every wrong setting is named, checks that depend on one are skipped, and all others run', async () => {
    await using well = await startWell(engine);
    const outcome = await well.examine({ PORT: 'http', SMTP_URL: 'hunter2hunter2', APNS_TEAM_ID: '' });
    const settings = findingsOf(outcome).filter(({ check }) => check === 'settings');
    assert.deepEqual(
      settings.map(({ says, verdict }) => [says.split(' ')[0], verdict]),
      [
        ['PORT', 'fault'],
        ['SMTP_URL', 'fault'],
        ['APNS_TEAM_ID', 'fault'],
      ],
    );
    const byName = new Map(findingsOf(outcome).map((finding) => [finding.check, finding]));
    assert.match(byName.get('mail')?.says ?? '', /^not checked, because SMTP_URL is wrong/);
    assert.match(byName.get('APNs')?.says ?? '', /^not checked, because APNS_TEAM_ID is wrong/);
    assert.equal(byName.get('FCM')?.verdict, 'ok');
    assert.equal(outcome.code, 1);
    assert.doesNotMatch(outcome.out, /hunter2/);
  });

  it('an address with another server is a fault; one without TLS or without an answer is a warning', async () => {
    await using well = await startWell(engine);
    const stranger: Server = createServer((_, response) => response.end('<h1>It works!</h1>')).listen(0, '127.0.0.1');
    await once(stranger, 'listening');
    const { port } = stranger.address() as AddressInfo;
    const found = only(await well.examine({ BASE_URL: `http://127.0.0.1:${port}` }));
    assert.deepEqual([found.check, found.verdict], ['service', 'fault']);
    stranger.closeAllConnections();
    stranger.close();
    await using proxy = await startProxy(well.environment.BASE_URL ?? '', (headers) => headers, {
      host: 'backend.example',
    });
    const renamed = only(await well.examine({ BASE_URL: proxy.origin }));
    assert.deepEqual([renamed.check, renamed.verdict], ['service', 'fault']);
    assert.match(renamed.remedy ?? '', /ALLOWED_HOSTS/);
    const silent = only(await well.examine({ BASE_URL: `http://127.0.0.1:${await freePort()}` }));
    assert.deepEqual([silent.check, silent.verdict], ['service', 'warning']);
    const plain = bad(await well.examine({ BASE_URL: 'http://crescendo.invalid' }));
    assert.match(plain[0]?.remedy ?? '', /SIGN_UP=invite/);
    assert.deepEqual(
      plain.map(({ check, verdict }) => [check, verdict]),
      [
        ['sign-up', 'warning'],
        ['address', 'warning'],
        ['service', 'warning'],
      ],
    );
  });

  it('another Crescendo at BASE_URL is told from this one by its database', async () => {
    await using well = await startWell(engine);
    await using other = await startTestApp(engine);
    const origin = await other.fastify.listen({ port: 0, host: '127.0.0.1' });
    const found = only(await well.examine({ BASE_URL: origin }));
    assert.deepEqual(
      [found.check, found.verdict, found.says],
      ['service', 'fault', `another Crescendo answers at ${origin}: it uses another database than this command`],
    );
    await using silent = await startProxy(well.environment.BASE_URL ?? '', ({ [INSTANCE]: _, ...headers }) => headers);
    const unknown = only(await well.examine({ BASE_URL: silent.origin }));
    assert.match(`${unknown.verdict} ${unknown.says}`, /^warning a Crescendo answers at .* not say which database/);
    // Two processes of one installation say the same, and a second installation says something else.
    const asked = async (app: TestApp) => (await app.ask({ url: '/health' })).headers[INSTANCE];
    assert.match(String(await asked(well.app)), /^[0-9a-f-]{36}$/);
    assert.notEqual(await asked(well.app), await asked(other));
  });

  it('a service that has just been started is waited for, while its proxy reaches nobody', async () => {
    await using well = await startWell(engine);
    let refusals = 2;
    await using proxy = await startProxy(well.environment.BASE_URL ?? '', (headers) => headers, {
      refuses: () => refusals-- > 0,
    });
    assert.deepEqual(bad(await well.examine({ BASE_URL: proxy.origin })), []);
    assert.ok(refusals <= 0);
  });

  it('a service that listens where BASE_URL does not lead is found, and the remedy names HOST', async () => {
    await using well = await startWell(engine);
    const { port } = new URL(well.environment.BASE_URL ?? '');
    const examine = async (settings: Settings) => {
      const found = bad(await well.examine({ PORT: port, SIGN_UP: 'open', ...settings }));
      return found
        .filter(({ check }) => check === 'service')
        .map(({ verdict, says, remedy }) => [verdict, says, remedy]);
    };
    const unreachable = await examine({ BASE_URL: `http://crescendo.invalid:${port}` });
    assert.equal(unreachable[0]?.[0], 'fault');
    assert.match(
      unreachable[0]?.[1] ?? '',
      /^the service runs and answers at http:\/\/localhost:\d+, but not at BASE_URL/,
    );
    assert.equal(unreachable[0]?.[2], 'Set HOST=0.0.0.0, so that the service listens for them too.');
    const [[, , otherPort] = []] = await examine({ BASE_URL: 'http://crescendo.invalid' });
    assert.match(otherPort ?? '', /^Set HOST=0\.0\.0\.0 and BASE_URL=http:\/\/crescendo\.invalid:\d+; or put a proxy/);
    // A name that leads this machine, and no other one, to where the service listens.
    const [[verdict, says] = []] = await examine({ BASE_URL: `http://0.0.0.0:${port}` });
    assert.deepEqual(
      [verdict, says],
      ['warning', `other machines cannot reach http://0.0.0.0:${port}, because HOST is localhost`],
    );
    assert.deepEqual(await examine({ BASE_URL: `http://0.0.0.0:${port}`, HOST: '0.0.0.0' }), []);
    const [[, , tls] = []] = await examine({ BASE_URL: 'https://crescendo.invalid', TRUST_PROXY: '1' });
    assert.match(tls ?? '', /^Let the proxy forward to http:\/\/localhost:\d+/);
    await well.app.close();
    const [[stopped, , start] = []] = await examine({ BASE_URL: `http://crescendo.invalid:${port}` });
    assert.deepEqual([stopped, /^Start the service\. .* Set HOST=0\.0\.0\.0/.test(start ?? '')], ['warning', true]);
  });

  it('an identity provider whose keys cannot be fetched is a fault', async () => {
    await using well = await startWell(engine);
    well.idp.down = true;
    assert.deepEqual([only(await well.examine()).check], ['identity provider']);
  });

  it('what is wrong with an issuer is said in words that name the setting to change', async () => {
    await using provider = await OpenIdProvider.start({});
    await using plain = await OpenIdProvider.start({ discovery: { code_challenge_methods_supported: [] } });
    await using open = await OpenIdProvider.start({ discovery: { issuer: 'http://id.home.test' } });
    await using well = await startWell(engine);
    const examine = async (settings: Settings) =>
      bad(await well.examine({ ...provider.settings, ...settings })).map(
        ({ verdict, says, remedy }) => `${verdict}: ${says}. ${remedy}`,
      );
    assert.deepEqual(await examine({}), []);
    const { issuer } = provider;
    const table: [Settings, RegExp][] = [
      [
        { IDP_ISSUER: `${issuer}/` },
        /^fault: .*, without a slash at the end\. Set IDP_ISSUER=http:\/\/127\.0\.0\.1:\d+$/,
      ],
      [{ IDP_ISSUER: `${issuer}/realms/home` }, /^fault: There is no document at .*\(status 404\).*Set IDP_ISSUER to/],
      [{ IDP_ISSUER: issuer.replace('127.0.0.1', 'localhost') }, /^fault: .*calls itself http:\/\/127\.0\.0\.1/],
      [{ IDP_ISSUER: `http://127.0.0.1:${await freePort()}` }, /^fault: no answer at .*ECONNREFUSED.*Check IDP_ISSUER/],
      [
        { IDP_AUDIENCE: 'another-client' },
        /^fault: the provider does not accept the client another-client .*IDP_AUDIENCE/,
      ],
      [
        { IDP_CLIENT_SECRET: 'not-the-secret' },
        /^fault: the provider does not accept .*check IDP_CLIENT_SECRET and IDP_CL/,
      ],
      [{ IDP_CLIENT_SECRET: '' }, /^fault: the provider does not accept .*set IDP_CLIENT_SECRET unless/],
      [{ IDP_JWKS_URL: `${issuer}/nothing` }, /^fault: the keys of .* could not be fetched.*IDP_JWKS_URL/],
      [plain.settings, /^warning: .*does not offer PKCE/],
      [
        { IDP_ISSUER: `${open.issuer}/.well-known/openid-configuration` },
        /^warning: http:\/\/id\.home\.test has no TLS.*https:\/\/ in IDP_ISSUER/,
      ],
    ];
    await using posted = await OpenIdProvider.start({ basic: 'refused' });
    table.push([
      posted.settings,
      /^fault: .*refuses the client .* by client_secret_basic, and accepts it by client_secret_post\. Set IDP_CLIENT_AUTH=client_secret_post$/,
    ]);
    for (const [settings, words] of table) {
      const [found = '', ...others] = await examine(settings);
      assert.match(found, words);
      assert.deepEqual(others, []);
    }
  });
});

onlyOn('postgres', () => {
  test('on PostgreSQL a missing key is a fault, and an unreachable server is one line', async () => {
    await using well = await startWell('postgres');
    const missing = bad(await well.examine({ SECRET_KEY: '' }));
    assert.match(missing[0]?.says ?? '', /^SECRET_KEY is not set; on PostgreSQL it must be/);
    const away = only(await well.examine({ DATABASE_URL: `postgres://u:hunter2@127.0.0.1:${await freePort()}/x` }));
    assert.match(away.says, /^127\.0\.0\.1:\d+\/x: The database cannot be reached: connect ECONNREFUSED/);
    const url = new URL(well.environment.DATABASE_URL ?? '');
    url.pathname = '/no_such_database';
    assert.match(only(await well.examine({ DATABASE_URL: url.href })).says, /names a database that does not exist/);
  });

  test('a user who may not create tables, and a server without TLS, are one line each', async () => {
    const database = await createDatabase('postgres', 'template0');
    const role = `role_${process.pid}`;
    await runOn(database.url, `create role ${role} login; revoke create on schema public from public`);
    const url = new URL(database.url);
    url.username = role;
    const settings = { DATABASE_URL: url.href, SECRET_KEY: 'a key for tests, long enough to be taken' };
    const byName = async () => findingsOf(await runCommand(['doctor', '--json'], settings));
    const found = (await byName()).find(({ check }) => check === 'database');
    assert.match(found?.says ?? '', /: this user may not create tables there$/);
    const refused = await runCommand(['migrate'], settings);
    assert.match(refused.err, /^The user in DATABASE_URL may not create or change tables there \([^\n]+\n$/);
    const tls = { ...settings, DATABASE_URL: `${database.url}?sslmode=require` };
    const plain = await runCommand(['migrate', '--json'], tls);
    assert.match(
      plain.json.error,
      /^failed: PostgreSQL has no TLS, [^\n]+ add \?sslmode=disable to DATABASE_URL [^\n]+\)\.$/,
    );
    await runOn(database.url, `drop owned by ${role}; drop role ${role}`);
    await database.drop();
  });
});

onlyOn('sqlite', () => {
  async function startAlone() {
    const folder = mkdtempSync(join(tmpdir(), 'crescendo-test-'));
    const clock = realTime();
    const push = await FakeWebPush.start(clock);
    const port = await freePort();
    const channels = await HttpRecorder.start();
    const environment = { ...push.settings, ...ROOM, NTFY_SERVER: channels.origin, PORT: String(port) };
    const dispose = async () => {
      await channels[Symbol.asyncDispose]();
      await push[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    };
    const examine = (changes: Settings) => runCommand(['doctor', '--json'], { ...environment, ...changes });
    return { folder, examine, environment, [Symbol.asyncDispose]: dispose };
  }

  test('before the first start there is no fault, and nothing is created', async () => {
    await using alone = await startAlone();
    const outcome = await alone.examine({ DATA_DIR: join(alone.folder, 'data') });
    assert.equal(only(outcome).check, 'mail');
    assert.deepEqual(readdirSync(alone.folder), []);
    await runCommand(['migrate'], { DATA_DIR: join(alone.folder, 'data') });
    assert.equal(only(await alone.examine({ DATA_DIR: join(alone.folder, 'data') })).check, 'mail');
  });

  test('a data folder that is a file, is below a file, is not writable, or is open to others is reported', async () => {
    await using alone = await startAlone();
    const file = join(alone.folder, 'file');
    writeFileSync(file, '');
    const folderOf = async (DATA_DIR: string) =>
      findingsOf(await alone.examine({ DATA_DIR })).find(({ check }) => check === 'data folder');
    assert.match((await folderOf(file))?.says ?? '', /is not a folder$/);
    assert.equal((await folderOf(join(file, 'below')))?.verdict, 'fault');
    // Not even root can write there.
    assert.equal((await folderOf('/proc'))?.verdict, 'fault');
    const open = join(alone.folder, 'open');
    mkdirSync(open);
    chmodSync(open, 0o755);
    assert.deepEqual(
      [(await folderOf(open))?.verdict, (await folderOf(open))?.remedy],
      ['warning', `chmod 700 ${open}`],
    );
    assert.deepEqual(readdirSync(open), []);
  });

  test('a database without its key, a damaged database, and a file that is not a database are faults', async () => {
    await using well = await startWell('sqlite');
    const { DATA_DIR = '' } = well.environment;
    const withoutKey = { ...well.environment, SECRET_KEY: '' };
    await well.app.db
      .insertInto('users')
      .values({
        id: crypto.randomUUID(),
        email: null,
        display_name: null,
        keep_must_not_miss: true,
        is_admin: true,
        created_at: new Date(),
        updated_at: new Date(),
      })
      .execute();
    assert.equal(only(await well.examine(withoutKey)).check, 'secret key');
    const index = await sql<{ rootpage: number }>`select rootpage from sqlite_schema where name = 'users'`.execute(
      well.app.db,
    );
    await well.app.close();
    const path = join(DATA_DIR, 'crescendo.db');
    const bytes = readFileSync(path);
    bytes.fill(0xff, ((index.rows[0]?.rootpage ?? 0) - 1) * 4_096, (index.rows[0]?.rootpage ?? 0) * 4_096);
    writeFileSync(path, bytes);
    const damaged = bad(await well.examine()).find(({ check }) => check === 'integrity');
    assert.equal(damaged?.verdict, 'fault');
    writeFileSync(path, 'dear diary');
    const other = bad(await well.examine()).find(({ check }) => check === 'database');
    assert.match(other?.says ?? '', /is not an SQLite database/);
    const shown = await runCommand(['doctor'], well.environment);
    assert.doesNotMatch(shown.out, /\.\./);
  });

  test('the files of a killed service are checked and not changed; an empty file is no fault', async () => {
    await using well = await startWell('sqlite');
    const { DATA_DIR = '' } = well.environment;
    // The engine empties the log at its start, so this is written afterwards.
    await well.app.engine?.settled();
    await well.app.db.updateTable('releases').set({ first_started_at: new Date() }).execute();
    const killed = mkdtempSync(join(tmpdir(), 'crescendo-test-'));
    for (const name of ['crescendo.db', 'crescendo.db-wal']) copyFileSync(join(DATA_DIR, name), join(killed, name));
    const read = () => ['crescendo.db', 'crescendo.db-wal'].map((name) => readFileSync(join(killed, name)));
    const before = read();
    assert.ok(before[1]?.length);
    const settings = { DATA_DIR: killed, DATABASE_URL: `sqlite:${join(killed, 'crescendo.db')}` };
    assert.deepEqual(bad(await well.examine(settings)), []);
    assert.deepEqual(read(), before);
    for (const name of readdirSync(killed)) rmSync(join(killed, name));
    writeFileSync(join(killed, 'crescendo.db'), '');
    // The service that answers is on another database, and nothing else is wrong.
    assert.equal(only(await well.examine(settings)).check, 'service');
    assert.deepEqual(readdirSync(killed), ['crescendo.db']);
    rmSync(killed, { recursive: true });
  });

  test('a file of another user needs a chown, not a restore', async () => {
    await using well = await startWell('sqlite');
    const { DATA_DIR = '' } = well.environment;
    if (process.getuid?.() === 0) {
      chownSync(join(DATA_DIR, 'crescendo.db.lock'), 65_534, 65_534);
      const other = only(await well.examine());
      assert.match(`${other.says} ${other.remedy}`, /\.lock belongs to another user than its folder chown/);
      chownSync(join(DATA_DIR, 'crescendo.db.lock'), 0, 0);
    }
    const forbidden = await examineForbidden(DATA_DIR);
    assert.deepEqual(
      forbidden.map(({ check }) => check),
      // access(2) uses the real user id, which is still root.
      process.getuid?.() === 0 ? ['database'] : ['data folder', 'database'],
    );
    for (const { remedy } of forbidden) assert.match(remedy ?? '', /^chown it to /);
  });

  /** Runs the doctor as a user who may use the folder but not the file in it. */
  async function examineForbidden(folder: string): Promise<Found[]> {
    const file = join(folder, 'crescendo.db');
    chmodSync(folder, 0o755);
    const isRoot = process.getuid?.() === 0;
    if (isRoot) chownSync(folder, 65_534, 65_534);
    else chmodSync(file, 0o000);
    if (isRoot) process.seteuid?.(65_534);
    try {
      const outcome = await runCommand(['doctor', '--json'], { DATA_DIR: folder, DATABASE_URL: `sqlite:${file}` });
      return bad(outcome).filter(({ verdict, check }) => verdict === 'fault' && check !== 'secret key');
    } finally {
      if (isRoot) process.seteuid?.(0);
      else chmodSync(file, 0o600);
    }
  }

  const canMount = spawnSync('unshare', ['-rm', 'true']).status === 0;
  if (canMount) {
    test('a read-only disk is told as that, by start and doctor, and nobody is sent to a backup', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'crescendo-test-'));
      const main = `'${process.execPath}' '${join(import.meta.dirname, '../../src/main.ts')}'`;
      const steps = [
        'mount -t tmpfs none . && cd "$PWD"',
        `${main} migrate --json`,
        'mount -o remount,ro .',
        `{ ${main} doctor --json; DATA_DIR=./new ${main}; DATA_DIR=./data ${main}; } 2>&1`,
      ];
      // Nobody listens there, so no check waits.
      const nobody = { NTFY_SERVER: 'http://127.0.0.1:9', WEB_PUSH_HOSTS: '127.0.0.1:9' };
      const env = { ...COMPILE_CACHE, ...nobody, DATA_DIR: './data', PORT: '0', PATH: process.env.PATH };
      const args = ['-rm', 'sh', '-c', `${steps.join(' && ')}; true`];
      const { stdout } = await promisify(execFile)('unshare', args, { cwd: folder, env });
      const [, report = '', ...starts] = stdout.trim().split('\n');
      const faults: Found[] = JSON.parse(report).data.findings.filter(({ verdict }: Found) => verdict === 'fault');
      assert.deepEqual(
        faults.map(({ check }) => check),
        ['data folder', 'database'],
      );
      for (const { says, remedy } of faults) {
        assert.match(says, /read-only disk/);
        assert.match(remedy ?? '', /^Mount the disk for writing/);
      }
      assert.equal(starts.length, 2, stdout);
      for (const line of starts) assert.match(line, /^DATA_DIR or DATABASE_URL is on a read-only disk \(EROFS/);
      rmSync(folder, { recursive: true });
    });
  }

  test('an unreadable .env is a fault, and the other checks still run', async () => {
    await using alone = await startAlone();
    mkdirSync(join(alone.folder, '.env'));
    const outcome = await runCommand(['doctor', '--json'], {}, { folder: alone.folder });
    assert.match(findingsOf(outcome)[0]?.says ?? '', /^\.env cannot be read: EISDIR/);
    assert.ok(findingsOf(outcome).length > 10);
  });
});
