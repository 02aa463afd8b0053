/** Composes sign-in: email codes, the identity provider, the second factor and sessions. */
import type { AccountListener } from '../accounts/settings.service.ts';
import type { Config } from '../config.ts';
import type { Audit } from '../lib/audit.ts';
import type { Clock } from '../lib/clock.ts';
import type { SignUpRules } from '../sign-in/admission.ts';
import { deleteEmailCodeOf } from '../sign-in/email-codes.store.ts';
import { EmailCodes } from '../sign-in/email-codes.ts';
import { EmailSignInService } from '../sign-in/email-sign-in.service.ts';
import { IdentityProvider } from '../sign-in/identity-provider.ts';
import { IdpSignInService } from '../sign-in/idp-sign-in.service.ts';
import { ProofGate } from '../sign-in/proof-gate.ts';
import { ProviderRevocations } from '../sign-in/provider-revocations.ts';
import { SecondFactorService } from '../sign-in/second-factor.service.ts';
import { SecondFactorCodes } from '../sign-in/second-factor-codes.ts';
import { SessionsService } from '../sign-in/sessions.service.ts';
import { signInRoutes } from '../sign-in/sign-in.routes.ts';
import { SignInService } from '../sign-in/sign-in.service.ts';
import { type FindOpenInvite, SignUpService } from '../sign-in/sign-up.service.ts';
import type { Parts, Shared } from './parts.ts';

export function composeSignIn(
  { config, wallClock, logger }: Parts,
  shared: Shared,
  audit: Audit,
  findOpenInvite: FindOpenInvite,
) {
  const { db, vault, mailer, throttle } = shared;
  const gate = new ProofGate(throttle, audit);
  const sessions = new SessionsService(db, wallClock, audit);
  const secondFactorCodes = new SecondFactorCodes(vault, wallClock);
  const signIn = new SignInService(db, wallClock, sessions, secondFactorCodes, gate);
  const emailCodes = new EmailCodes(db, wallClock, vault, mailer);
  const provider = composeProvider(config, wallClock);
  const revocations = new ProviderRevocations(db, wallClock, vault, provider, logger);
  const secondFactor = new SecondFactorService(db, wallClock, secondFactorCodes, gate, audit);
  const signUp = new SignUpService(signUpRulesOf(config), wallClock, findOpenInvite);
  const routes = signInRoutes({
    email: new EmailSignInService({ db, clock: wallClock, codes: emailCodes, signIn, gate, signUp, audit }),
    idp: new IdpSignInService({ db, clock: wallClock, provider, vault, signIn, gate, signUp }),
    signIn,
    signUp,
    sessions,
    secondFactor,
  });
  const listener: AccountListener = {
    accountDeleting: async (trx, userId) => {
      await deleteEmailCodeOf(trx, userId);
      await revocations.addForAccount(trx, userId);
    },
    accountDeleted: () => revocations.wake(),
  };
  const describeSignIn = async () => ({
    identity_provider: (await provider?.describeSignIn().catch(() => null)) ?? null,
    sign_up: signUp.policy,
  });
  return { sessions, secondFactor, revocations, listener, describeSignIn, routes };
}

const signUpRulesOf = ({ SIGN_UP, SIGN_UP_DOMAINS, ADMINS }: Config): SignUpRules => ({
  signUp: SIGN_UP ?? 'open',
  domains: SIGN_UP_DOMAINS ?? [],
  admins: ADMINS ?? [],
});

export function composeProvider(config: Config, wallClock: Clock): IdentityProvider | undefined {
  const { IDP_AUDIENCE, IDP_ISSUER, IDP_JWKS_URL, APPLE_CLIENT_KEY, APPLE_CLIENT_KEY_ID, APNS_TEAM_ID } = config;
  if (!IDP_AUDIENCE) return undefined;
  const client =
    APPLE_CLIENT_KEY && APPLE_CLIENT_KEY_ID && APNS_TEAM_ID
      ? { key: APPLE_CLIENT_KEY, keyId: APPLE_CLIENT_KEY_ID, teamId: APNS_TEAM_ID }
      : undefined;
  return new IdentityProvider({ issuer: IDP_ISSUER, audience: IDP_AUDIENCE, jwksUrl: IDP_JWKS_URL, client }, wallClock);
}
