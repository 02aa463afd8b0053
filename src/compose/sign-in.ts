/** Composes sign-in: email codes, the identity provider, passkeys, the second factor and sessions. */
import type { AccountListener } from '../accounts/settings.service.ts';
import { baseUrlOf, type Config, mailDeliveryOf } from '../config.ts';
import type { Audit } from '../lib/audit.ts';
import { BackgroundMail } from '../lib/background-mail.ts';
import type { Clock } from '../lib/clock.ts';
import { AccountNotices } from '../sign-in/account-notices.ts';
import { deleteEmailCodesOf } from '../sign-in/email-codes.store.ts';
import { EmailCodes } from '../sign-in/email-codes.ts';
import { EmailSignInService } from '../sign-in/email-sign-in.service.ts';
import { IdentityProvider } from '../sign-in/identity-provider.ts';
import { IdpSignInService } from '../sign-in/idp-sign-in.service.ts';
import { invitationMail } from '../sign-in/invitation-mail.ts';
import { PasskeyChallenges } from '../sign-in/passkey-challenges.ts';
import { PasskeySignInService } from '../sign-in/passkey-sign-in.service.ts';
import { passkeyRoutes } from '../sign-in/passkeys.routes.ts';
import { PasskeysService } from '../sign-in/passkeys.service.ts';
import { ProofGate } from '../sign-in/proof-gate.ts';
import { ProviderRevocations } from '../sign-in/provider-revocations.ts';
import { findRelyingParty } from '../sign-in/relying-party.ts';
import { SecondFactorService } from '../sign-in/second-factor.service.ts';
import { SecondFactorCodes } from '../sign-in/second-factor-codes.ts';
import { SessionsService } from '../sign-in/sessions.service.ts';
import { signInRoutes } from '../sign-in/sign-in.routes.ts';
import { SignInService } from '../sign-in/sign-in.service.ts';
import { type FindOpenInvite, type SignUpParts, SignUpService } from '../sign-in/sign-up.service.ts';
import type { Parts, Shared } from './parts.ts';

export function composeSignIn(
  { config, wallClock, logger }: Parts,
  shared: Shared,
  audit: Audit,
  findOpenInvite: FindOpenInvite,
) {
  const { db, vault, mailer, throttle } = shared;
  const clock = wallClock;
  const backgroundMail = new BackgroundMail(mailer, logger);
  const baseUrl = baseUrlOf(config, config.PORT);
  const notices = new AccountNotices({ db, clock, throttle, backgroundMail, baseUrl });
  const gate = new ProofGate(throttle, audit);
  const sessions = new SessionsService(db, wallClock, audit);
  const codes = new SecondFactorCodes(vault, wallClock);
  const signIn = new SignInService({ db, clock, sessions, codes, gate, throttle, notices });
  const emailCodes = new EmailCodes({ db, clock, vault, mailer, backgroundMail });
  const provider = composeProvider(config, wallClock);
  const revocations = new ProviderRevocations(db, wallClock, vault, provider, logger);
  const secondFactor = new SecondFactorService({ db, clock, codes, gate, audit, notices });
  const mailInvitation = async (sender: string, email: string) => {
    await throttle.limitInvites(sender);
    await throttle.limitInviteMails(sender, email, () => mailer.send(invitationMail(email, baseUrl)));
  };
  const signUp = new SignUpService({ db, clock, rules: signUpRulesOf(config), findOpenInvite, mailInvitation });
  const relyingParty = findRelyingParty(baseUrl);
  const challenges = new PasskeyChallenges(vault, clock);
  const otherWaysIn = { isMailSent: mailDeliveryOf(config) !== 'off', issuer: provider?.issuer };
  const ofPasskeys = { db, clock, relyingParty, challenges, gate, notices };
  const passkeys = new PasskeysService({ ...ofPasskeys, audit, otherWaysIn });
  const signInRoutesOf = signInRoutes({
    email: new EmailSignInService({ db, clock, codes: emailCodes, signIn, gate, signUp, audit }),
    idp: new IdpSignInService({ db, clock, provider, vault, signIn, gate, signUp, notices }),
    signIn,
    signUp,
    sessions,
    secondFactor,
  });
  const routes = [signInRoutesOf, passkeyRoutes(passkeys, new PasskeySignInService({ ...ofPasskeys, signIn }))];
  const listener: AccountListener = {
    accountDeleting: async (trx, userId) => {
      await deleteEmailCodesOf(trx, userId);
      await revocations.addForAccount(trx, userId);
    },
    accountDeleted: () => revocations.wake(),
  };
  const describeSignIn = async () => ({
    identity_provider: (await provider?.describeSignIn().catch(() => null)) ?? null,
    sign_up: await signUp.policy(),
    passkey_origin: relyingParty?.origin ?? null,
  });
  return {
    sessions,
    secondFactor,
    passkeys,
    signUp,
    revocations,
    notices,
    backgroundMail,
    listener,
    describeSignIn,
    routes,
  };
}

const signUpRulesOf = ({ SIGN_UP, SIGN_UP_DOMAINS, ADMINS }: Config): SignUpParts['rules'] => ({
  signUp: SIGN_UP,
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
