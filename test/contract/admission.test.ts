/** Every way into an account, under every rule that may refuse it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { Authenticator, addPasskey } from '../support/authenticator.ts';
import { enableSecondFactor, totpCode } from '../support/deployment.ts';
import { createDatabase, type EngineName, onEveryEngine } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { FakeIdentityProvider } from '../support/identity-provider.ts';
import { receiveCode, signIn, verifyCode } from '../support/people.ts';
import { type Answer, startTestApp, type TestApp } from '../support/test-app.ts';

/** The setting is the address of the document, and the issuer named in it begins in another way. */
const ISSUER = 'http://login.home.test/tenant';
const [PLAIN, SECURED] = ['plain@home.test', 'secured@home.test'];
const outcomeOf = ({ body }: Answer): string => body.data?.status ?? body.error.split(':')[0];
const post = (app: TestApp, url: string, payload: object = {}) => app.ask({ method: 'POST', url, payload });

/** Two accounts: one with a passkey, and one with a second factor. */
interface World extends AsyncDisposable {
  readonly provider: FakeIdentityProvider;
  readonly clock: FakeClock;
  readonly phone: Authenticator;
  readonly secret: string;
  readonly recovery: string[];
  /** What the provider says about both people. */
  groups: readonly string[];
  app: TestApp;
  /** Ends the service that runs, and starts one with these settings on the same database. */
  restart(settings?: Readonly<Record<string, string>>): Promise<void>;
}

const tokenOf = (world: World, email: string) =>
  world.provider.issue({ iss: ISSUER, sub: email, email, email_verified: true, groups: world.groups });

const byApp = async (world: World, email: string) =>
  post(world.app, '/v1/auth/idp', { identity_token: await tokenOf(world, email) });

async function byWeb(world: World, email: string): Promise<Answer> {
  const begun = await post(world.app, '/app/provider/begin');
  if (begun.status !== 200) return begun;
  const { url, ticket } = begun.body.data;
  world.provider.person = { iss: ISSUER, sub: email, email, email_verified: true, groups: world.groups };
  const page = await (await fetch(url)).text();
  const fields = [...page.matchAll(/name="(\w+)" value='([^']*)'/g)].map(([, name = '', value = '']) => [name, value]);
  return post(world.app, '/app/provider/finish', { ticket, answer: new URLSearchParams(fields).toString() });
}

async function byCode({ app }: World, email: string): Promise<Answer> {
  const asked = await post(app, '/v1/auth/email/request', { email });
  return asked.status === 200 ? verifyCode(app, email, await receiveCode(app, email)) : asked;
}

async function byPasskey({ app, phone }: World): Promise<Answer> {
  const { options } = (await post(app, '/v1/auth/passkey/begin')).body.data;
  return post(app, '/v1/auth/passkey', { credential: phone.get(options) });
}

/** The first factor was proven before the rule began. */
type SecondStep = (world: World, mfa_token: string) => Promise<Answer>;
const byTotp: SecondStep = (world, mfa_token) =>
  post(world.app, '/v1/auth/mfa/verify', { mfa_token, code: totpCode(world.app, world.secret) });
const byRecoveryCode: SecondStep = (world, mfa_token) =>
  post(world.app, '/v1/auth/mfa/verify', { mfa_token, code: world.recovery.pop() });

const FIRST_STEPS = { byCode, byApp } as const;
const WAYS: Readonly<Record<string, ((world: World) => Promise<Answer>) | [keyof typeof FIRST_STEPS, SecondStep]>> = {
  'an emailed code': (world) => byCode(world, PLAIN),
  'a passkey': byPasskey,
  'the provider, in the web app': (world) => byWeb(world, PLAIN),
  'the provider, in an app': (world) => byApp(world, PLAIN),
  'a TOTP code after an emailed code': ['byCode', byTotp],
  'a recovery code after an emailed code': ['byCode', byRecoveryCode],
  'a TOTP code after the provider': ['byApp', byTotp],
};

interface Rule {
  /** The provider has opened the accounts before. */
  readonly isKnownThere: boolean;
  readonly begin: (world: World) => Promise<unknown>;
  /** In the order of `WAYS`. */
  readonly outcomes: readonly string[];
}

const IN = 'authenticated';
const GROUPS = { IDP_ALLOWED_GROUPS: 'family' };
const refuse = (code: string) => [code, code, IN, IN, code, code, IN];

async function suspend({ app }: World): Promise<void> {
  await app.db.updateTable('users').set({ suspended_at: app.clock.now() }).execute();
}

const RULES: Readonly<Record<string, Rule>> = {
  'no rule': { isKnownThere: true, begin: async () => undefined, outcomes: Array(7).fill(IN) },
  'a suspension': { isKnownThere: true, begin: suspend, outcomes: Array(7).fill('account_suspended') },
  'EMAIL_SIGN_IN=false': {
    isKnownThere: true,
    begin: (world) => world.restart({ EMAIL_SIGN_IN: 'false' }),
    outcomes: ['email_sign_in_off', IN, IN, IN, 'email_sign_in_off', 'email_sign_in_off', IN],
  },
  'groups, for people of the provider': {
    isKnownThere: true,
    begin: (world) => world.restart(GROUPS),
    outcomes: refuse('provider_required'),
  },
  'groups, for people who lost theirs': {
    isKnownThere: true,
    begin: async (world) => {
      world.groups = ['strangers'];
      await world.restart(GROUPS);
      await byApp(world, SECURED);
    },
    outcomes: [
      ...['provider_required', 'provider_required', 'group_required', 'group_required'],
      ...['provider_required', 'provider_required', 'sign_in_expired'],
    ],
  },
  'groups, for people whom the provider never opened an account': {
    isKnownThere: false,
    begin: (world) => world.restart(GROUPS),
    outcomes: [IN, IN, IN, IN, IN, IN, 'sign_in_expired'],
  },
  'groups, while the provider was never reached': {
    isKnownThere: true,
    begin: async (world) => {
      await world.restart(GROUPS);
      world.provider.down = true;
    },
    outcomes: [...Array(6).fill('identity_provider_unavailable'), IN],
  },
  'groups, while the provider was never reached, for people whom it never opened an account': {
    isKnownThere: false,
    begin: async (world) => {
      await world.restart(GROUPS);
      world.provider.down = true;
    },
    outcomes: [IN, IN, ...Array(2).fill('identity_provider_unavailable'), IN, IN, 'sign_in_expired'],
  },
  'groups, hours after the provider was last reached': {
    isKnownThere: true,
    begin: async (world) => {
      await world.restart(GROUPS);
      await byCode(world, PLAIN);
      world.provider.down = true;
      world.clock.set(new Date(world.clock.now().getTime() + 2 * 3_600_000).toISOString());
    },
    outcomes: [
      ...['provider_required', 'provider_required', 'identity_provider_unavailable', 'identity_provider_unavailable'],
      ...['sign_in_expired', 'sign_in_expired', 'sign_in_expired'],
    ],
  },
  'groups, of another provider with an issuer that begins alike': {
    isKnownThere: true,
    begin: async (world) => {
      world.provider.foreignIssuer = `${ISSUER}-two`;
      await world.restart(GROUPS);
    },
    outcomes: [IN, IN, 'wrong_identity_token', 'wrong_identity_token', IN, IN, IN],
  },
};

async function openWorld(engine: EngineName): Promise<World> {
  const parts = new AsyncDisposableStack();
  // The library of the web app's sign-in lives in real time.
  const clock = new FakeClock(new Date().toISOString());
  const database = await createDatabase(engine);
  parts.defer(() => database.drop());
  const provider = parts.use(await FakeIdentityProvider.start(clock));
  const IDP_ISSUER = `${provider.issuer}/.well-known/openid-configuration`;
  const start = (settings = {}) =>
    startTestApp(engine, {
      clock,
      databaseUrl: database.url,
      settings: {
        ...provider.settings,
        IDP_ISSUER,
        ...(database.folder && { DATA_DIR: database.folder }),
        ...settings,
      },
    });
  const app = await start();
  const phone = new Authenticator();
  assert.equal((await addPasskey(await signIn(app, PLAIN), phone)).status, 200);
  const secondFactor = await enableSecondFactor(app, await signIn(app, SECURED));
  const world: World = {
    ...{ provider, clock, phone, ...secondFactor, groups: [], app },
    async restart(settings) {
      await world.app.close();
      world.app = await start(settings);
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
  parts.defer(() => world.app.close());
  return world;
}

async function reset(world: World, isKnownThere: boolean): Promise<void> {
  const { provider, clock } = world;
  await world.restart();
  clock.set(new Date().toISOString());
  Object.assign(provider, { down: false, foreignIssuer: ISSUER });
  world.groups = ['family'];
  const { db } = world.app;
  await db.updateTable('users').set({ suspended_at: null }).execute();
  await db.deleteFrom('identities').execute();
  await db.deleteFrom('totp_steps').execute();
  if (isKnownThere) for (const email of [PLAIN, SECURED]) assert.equal((await byApp(world, email)).status, 200);
}

/** Begins the second steps, then the rule, then tries each way. */
async function tryWays(world: World, { isKnownThere, begin }: Rule): Promise<string[]> {
  await reset(world, isKnownThere);
  const begun: string[] = [];
  for (const way of Object.values(WAYS))
    begun.push(Array.isArray(way) ? (await FIRST_STEPS[way[0]](world, SECURED)).body.data.mfa_token : '');
  if (!isKnownThere) await world.app.db.deleteFrom('identities').execute();
  await begin(world);
  const outcomes: string[] = [];
  for (const [index, way] of Object.values(WAYS).entries()) {
    outcomes.push(outcomeOf(await (Array.isArray(way) ? way[1](world, begun[index] ?? '') : way(world))));
    if (!isKnownThere) await world.app.db.deleteFrom('identities').execute();
    await world.app.db.deleteFrom('totp_steps').execute();
  }
  return outcomes;
}

onEveryEngine((engine) => {
  test('each way into an account obeys each rule', async () => {
    await using world = await openWorld(engine);
    for (const [name, rule] of Object.entries(RULES)) {
      const outcomes = await tryWays(world, rule);
      const named = (list: readonly string[]) =>
        Object.fromEntries(Object.keys(WAYS).map((way, index) => [way, list[index]]));
      assert.deepEqual({ [name]: named(outcomes) }, { [name]: named(rule.outcomes) });
    }
  });
});

/** Who opens a session, makes an account, or ends a sign-in. A new line here needs a way in `WAYS`. */
const CALLERS: Readonly<Record<string, readonly string[]>> = {
  "insertInto('sessions')": ['sign-in/sessions.store.ts'],
  'insertSession(': ['sign-in/sessions.service.ts', 'sign-in/sessions.store.ts'],
  'sessions.open(': ['sign-in/sign-in.service.ts'],
  '.requireEntry(': ['sign-in/sign-in.service.ts', 'sign-in/sign-in.service.ts'],
  'signIn.complete(': [
    'sign-in/email-sign-in.service.ts',
    'sign-in/email-sign-in.service.ts',
    'sign-in/passkeys/passkey-sign-in.service.ts',
    'sign-in/provider/provider-accounts.ts',
  ],
  'insertUser(': [
    'accounts/users.store.ts',
    'sign-in/email-sign-in.service.ts',
    'sign-in/provider/provider-accounts.ts',
  ],
  'signUp.admit(': ['sign-in/email-sign-in.service.ts', 'sign-in/provider/provider-accounts.ts'],
  'as Admitted': ['sign-in/admission.service.ts'],
};

test('no part opens a session or makes an account but those that ask who is admitted', async () => {
  const root = join(import.meta.dirname, '../../src');
  const files = (await Array.fromAsync(glob('**/*.ts', { cwd: root }))).filter((file) => !file.endsWith('.test.ts'));
  const found = Object.fromEntries(Object.keys(CALLERS).map((call): [string, string[]] => [call, []]));
  for (const file of files.sort()) {
    const source = readFileSync(join(root, file), 'utf8');
    for (const [call, callers] of Object.entries(found))
      callers.push(...Array<string>(source.split(call).length - 1).fill(file));
  }
  assert.deepEqual(found, CALLERS);
});
