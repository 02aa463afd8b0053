/** The part of the wiring that is about who somebody is. */
import { AnswersService } from './accounts/answers.service.ts';
import { Audit } from './accounts/audit.ts';
import { authenticator } from './accounts/authentication.ts';
import { EmailCodes } from './accounts/email-codes.ts';
import { EmailSignInService } from './accounts/email-sign-in.service.ts';
import { IdentityProvider } from './accounts/identity-provider.ts';
import { IdpSignInService } from './accounts/idp-sign-in.service.ts';
import { planAt } from './accounts/plan.ts';
import { ProofGate } from './accounts/proof-gate.ts';
import { ProviderRevocations } from './accounts/provider-revocations.ts';
import { SecondFactorService } from './accounts/second-factor.service.ts';
import { SecondFactor } from './accounts/second-factor.ts';
import { SessionsService } from './accounts/sessions.service.ts';
import { settingsRoutes } from './accounts/settings.routes.ts';
import { type AccountFollower, SettingsService } from './accounts/settings.service.ts';
import { signInRoutes } from './accounts/sign-in.routes.ts';
import { SignInService } from './accounts/sign-in.service.ts';
import { tokenRoutes } from './accounts/tokens.routes.ts';
import { TokensService } from './accounts/tokens.service.ts';
import type { Config } from './config.ts';
import type { Clock } from './lib/clock.ts';
import type { Parts, Shared } from './parts.ts';
import { countHeldByPause } from './tasks/timeline.store.ts';

export function composeAccounts(
  { config, clock, wallClock, logger }: Parts,
  { db, vault, mailer, throttle }: Shared,
  followers: readonly AccountFollower[],
) {
  const audit = new Audit(logger);
  const gate = new ProofGate(throttle, audit);
  const sessions = new SessionsService(db, wallClock, audit);
  const tokens = new TokensService(db, wallClock, audit);
  const secondFactor = new SecondFactor(vault, wallClock);
  const signIn = new SignInService(db, wallClock, sessions, secondFactor, gate);
  const codes = new EmailCodes(db, wallClock, vault, mailer);
  const provider = composeProvider(config, wallClock);
  const revocations = new ProviderRevocations(db, wallClock, vault, provider, logger);
  const settings = new SettingsService(db, clock, audit, [revocations, ...followers], {
    countHeld: countHeldByPause,
    // Paid for in real time.
    planOf: (user) => planAt(user, wallClock.now()),
  });
  const secondFactorService = new SecondFactorService(db, wallClock, secondFactor, gate, audit);
  const routes = [
    signInRoutes({
      email: new EmailSignInService(db, wallClock, codes, signIn, gate),
      idp: new IdpSignInService({ db, clock: wallClock, provider, revocations, signIn, gate }),
      signIn,
      sessions,
      secondFactor: secondFactorService,
    }),
    tokenRoutes(tokens),
    settingsRoutes(settings),
  ];
  const answers = new AnswersService(db, wallClock, vault);
  const describeSignIn = async () => (await provider?.describeSignIn().catch(() => null)) ?? null;
  const authenticate = authenticator(sessions, tokens);
  const services = { settings, sessions, secondFactor: secondFactorService };
  return { ...services, routes, revocations, answers, authenticate, describeSignIn };
}

export function composeProvider(config: Config, wallClock: Clock): IdentityProvider | undefined {
  const { IDP_AUDIENCE, IDP_ISSUER, IDP_JWKS_URL, APPLE_CLIENT_KEY, APPLE_CLIENT_KEY_ID, APNS_TEAM_ID } = config;
  if (!IDP_AUDIENCE) return undefined;
  const client =
    APPLE_CLIENT_KEY && APPLE_CLIENT_KEY_ID && APNS_TEAM_ID
      ? { key: APPLE_CLIENT_KEY, keyId: APPLE_CLIENT_KEY_ID, teamId: APNS_TEAM_ID }
      : undefined;
  return new IdentityProvider({ issuer: IDP_ISSUER, audience: IDP_AUDIENCE, jwksUrl: IDP_JWKS_URL, client }, wallClock);
}
