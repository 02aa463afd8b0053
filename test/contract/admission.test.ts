/** Every way into an account, under every rule that may refuse it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { newId } from '../../src/lib/ids.ts';
import { hashToken, newToken } from '../../src/lib/secrets.ts';
import { Authenticator, addPasskey } from '../support/authenticator.ts';
import { enableSecondFactor, totpCode } from '../support/deployment.ts';
import { createDatabase, type EngineName, onEveryEngine } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { CLIENT_ID, FakeIdentityProvider } from '../support/identity-provider.ts';
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
  readonly recovery: readonly string[];
  /** Puts used recovery codes back: there are fewer of them than rules. */
  restoreRecovery(): Promise<unknown>;
  /** What the provider says about both people. */
  groups: readonly string[];
  app: TestApp;
  /** Runs a service with these settings on the same database. */
  serve(rule: Pick<Rule, 'settings' | 'isNew' | 'isMisspelt'>): Promise<void>;
}

const claimsOf = ({ groups }: World, email: string) => ({
  ...{ iss: ISSUER, sub: email, email, email_verified: true, groups },
});

const byApp = async (world: World, email = PLAIN) =>
  post(world.app, '/v1/auth/idp', { identity_token: await world.provider.issue(claimsOf(world, email)) });

async function byWeb(world: World): Promise<Answer> {
  const begun = await post(world.app, '/app/provider/begin');
  if (begun.status !== 200) return begun;
  const { url, ticket } = begun.body.data;
  world.provider.person = claimsOf(world, PLAIN);
  const page = await (await fetch(url)).text();
  const fields = [...page.matchAll(/name="(\w+)" value='([^']*)'/g)].map(([, name = '', value = '']) => [name, value]);
  return post(world.app, '/app/provider/finish', { ticket, answer: new URLSearchParams(fields).toString() });
}

async function byCode({ app }: World): Promise<Answer> {
  const asked = await post(app, '/v1/auth/email/request', { email: PLAIN });
  return asked.status === 200 ? verifyCode(app, PLAIN, await receiveCode(app, PLAIN)) : asked;
}

async function byPasskey({ app, phone }: World): Promise<Answer> {
  const { options } = (await post(app, '/v1/auth/passkey/begin')).body.data;
  return post(app, '/v1/auth/passkey', { credential: phone.get(options) });
}

/** The first factor was proven before the rule began. */
interface SecondStep {
  readonly after: 'email' | 'provider';
  readonly codeOf: (world: World) => string | undefined;
}
const totpOf = (world: World) => totpCode(world.app, world.secret);

const WAYS: Readonly<Record<string, ((world: World) => Promise<Answer>) | SecondStep>> = {
  'an emailed code': byCode,
  'a passkey': byPasskey,
  'the provider, in the web app': byWeb,
  'the provider, in an app': byApp,
  'a TOTP code after an emailed code': { after: 'email', codeOf: totpOf },
  'a recovery code after an emailed code': { after: 'email', codeOf: ({ recovery }) => recovery[0] },
  'a TOTP code after the provider': { after: 'provider', codeOf: totpOf },
};

interface Rule {
  /** Rules in a row with the same settings are tried on one service, unless it must be new. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly isNew?: true;
  /** Whether IDP_ISSUER is not the address of the document, and not the issuer that the document names either. */
  readonly isMisspelt?: true;
  /** The provider has opened the accounts before. */
  readonly isKnownThere: boolean;
  readonly begin?: (world: World) => unknown;
  /** In the order of `WAYS`. */
  readonly outcomes: readonly string[];
}

const IN = 'authenticated';
const GROUPS = { IDP_ALLOWED_GROUPS: 'family' };
const UNREACHED = 'identity_provider_unavailable';
const EXPIRED = 'sign_in_expired';
const goDown = ({ provider }: World) => {
  provider.down = true;
};

const RULES: Readonly<Record<string, Rule>> = {
  'no rule': { isKnownThere: true, outcomes: Array(7).fill(IN) },
  'a suspension': {
    isKnownThere: true,
    begin: ({ app }) => app.db.updateTable('users').set({ suspended_at: app.clock.now() }).execute(),
    outcomes: Array(7).fill('account_suspended'),
  },
  'EMAIL_SIGN_IN=false': {
    settings: { EMAIL_SIGN_IN: 'false' },
    isKnownThere: true,
    outcomes: ['email_sign_in_off', IN, IN, IN, 'email_sign_in_off', 'email_sign_in_off', IN],
  },
  'groups, while the provider was never reached': {
    settings: GROUPS,
    isKnownThere: true,
    begin: goDown,
    outcomes: [...Array(6).fill(UNREACHED), IN],
  },
  'groups, while the provider was never reached, for people whom it never opened an account': {
    settings: GROUPS,
    isKnownThere: false,
    begin: goDown,
    outcomes: [IN, IN, UNREACHED, UNREACHED, IN, IN, EXPIRED],
  },
  'groups, for people of the provider': {
    settings: GROUPS,
    isKnownThere: true,
    outcomes: ['provider_required', 'provider_required', IN, IN, 'provider_required', 'provider_required', IN],
  },
  'groups, for people who lost theirs': {
    settings: GROUPS,
    isKnownThere: true,
    begin: (world) => {
      world.groups = ['strangers'];
      return byApp(world, SECURED);
    },
    outcomes: [
      ...['provider_required', 'provider_required', 'group_required', 'group_required'],
      ...['provider_required', 'provider_required', EXPIRED],
    ],
  },
  'groups, for people whom the provider never opened an account': {
    settings: GROUPS,
    isKnownThere: false,
    outcomes: [IN, IN, IN, IN, IN, IN, EXPIRED],
  },
  'groups, hours after the provider was last reached': {
    settings: GROUPS,
    isKnownThere: true,
    begin: (world) => {
      goDown(world);
      world.clock.set(new Date(world.clock.now().getTime() + 2 * 3_600_000).toISOString());
    },
    outcomes: ['provider_required', 'provider_required', UNREACHED, UNREACHED, EXPIRED, EXPIRED, EXPIRED],
  },
  'groups, of another provider with an issuer that begins alike': {
    settings: GROUPS,
    isNew: true,
    isKnownThere: true,
    begin: ({ provider }) => {
      provider.foreignIssuer = `${ISSUER}-two`;
    },
    outcomes: [IN, IN, 'wrong_identity_token', 'wrong_identity_token', IN, IN, IN],
  },
  'groups, while IDP_ISSUER is not spelled as the provider spells it': {
    settings: GROUPS,
    isNew: true,
    isMisspelt: true,
    isKnownThere: true,
    outcomes: [...Array(6).fill(UNREACHED), IN],
  },
};

async function openWorld(engine: EngineName): Promise<World> {
  const parts = new AsyncDisposableStack();
  // The library of the web app's sign-in lives in real time.
  const clock = new FakeClock(new Date().toISOString());
  const database = await createDatabase(engine);
  parts.defer(() => database.drop());
  const provider = parts.use(await FakeIdentityProvider.start(clock));
  const start = (settings = {}, isMisspelt = false) =>
    startTestApp(engine, {
      clock,
      databaseUrl: database.url,
      settings: {
        ...provider.settings,
        IDP_ISSUER: `${provider.issuer}/${isMisspelt ? '' : '.well-known/openid-configuration'}`,
        ...(database.folder && { DATA_DIR: database.folder }),
        ...settings,
      },
    });
  const app = await start();
  const phone = new Authenticator();
  assert.equal((await addPasskey(await signIn(app, PLAIN), phone)).status, 200);
  const secondFactor = await enableSecondFactor(app, await signIn(app, SECURED));
  const codes = await app.db.selectFrom('recovery_codes').selectAll().execute();
  let current: Rule['settings'];
  const world: World = {
    ...{ provider, clock, phone, ...secondFactor, groups: [], app },
    async restoreRecovery() {
      await world.app.db.deleteFrom('recovery_codes').execute();
      await world.app.db.insertInto('recovery_codes').values(codes).execute();
    },
    async serve({ settings, isNew, isMisspelt }) {
      if (settings === current && !isNew) return;
      await world.app.close();
      world.app = await start(settings, isMisspelt);
      current = settings;
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
  parts.defer(() => world.app.close());
  return world;
}

async function reset(world: World, rule: Rule): Promise<void> {
  await world.serve(rule);
  world.clock.set(new Date().toISOString());
  Object.assign(world.provider, { down: false, foreignIssuer: ISSUER });
  world.groups = ['family'];
  await world.restoreRecovery();
  const { db } = world.app;
  await db.updateTable('users').set({ suspended_at: null }).execute();
  await db.deleteFrom('identities').execute();
  if (!rule.isKnownThere) return;
  for (const { id: user_id, email } of await db.selectFrom('users').select(['id', 'email']).execute()) {
    const identity = { id: newId(), user_id, issuer: ISSUER, subject: email ?? '', client_id: CLIENT_ID };
    await db
      .insertInto('identities')
      .values({ ...identity, created_at: world.clock.now() })
      .execute();
  }
}

/** Returns the token that the first step answered with, as if the rule had not been there yet. */
async function beginSecondStep({ app: { db }, clock }: World, { after }: SecondStep): Promise<string> {
  const token = newToken('mt_');
  const user = await db.selectFrom('users').select('id').where('email', '=', SECURED).executeTakeFirstOrThrow();
  const identity = await db.selectFrom('identities').select('id').where('user_id', '=', user.id).executeTakeFirst();
  if (after === 'provider' && !identity) return token;
  const expires_at = new Date(clock.now().getTime() + 300_000);
  const identity_id = after === 'provider' ? identity?.id : null;
  const challenge = {
    token_hash: hashToken(token),
    user_id: user.id,
    mode: 'login',
    tries: 0,
    expires_at,
    identity_id,
  };
  await db.insertInto('mfa_challenges').values(challenge).execute();
  return token;
}

async function tryWays(world: World, rule: Rule): Promise<string[]> {
  await reset(world, rule);
  const begun = new Map<SecondStep, string>();
  for (const way of Object.values(WAYS)) {
    if (typeof way !== 'function') begun.set(way, await beginSecondStep(world, way));
  }
  await rule.begin?.(world);
  const outcomes: string[] = [];
  for (const way of Object.values(WAYS)) {
    const answer =
      typeof way === 'function'
        ? await way(world)
        : await post(world.app, '/v1/auth/mfa/verify', { mfa_token: begun.get(way), code: way.codeOf(world) });
    outcomes.push(outcomeOf(answer));
    if (!rule.isKnownThere) await world.app.db.deleteFrom('identities').execute();
    await world.app.db.deleteFrom('totp_steps').execute();
  }
  return outcomes;
}

onEveryEngine((engine, it) => {
  it('each way into an account obeys each rule', async () => {
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
