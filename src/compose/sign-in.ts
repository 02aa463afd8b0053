/** Composes sign-in: email codes, the identity provider, passkeys, the second factor and sessions. */

import type { AccountListener } from '../accounts/settings.service.ts';
import type { User } from '../accounts/users.store.ts';
import { findAdminReason } from '../admin/administrators.ts';
import { moveOwnMail } from '../channels/own-mail.store.ts';
import { baseUrlOf, type Config, mailDeliveryOf } from '../config.ts';
import type { Db } from '../db/schema.ts';
import type { Audit } from '../lib/audit.ts';
import { BackgroundMail } from '../lib/background-mail.ts';
import type { Clock } from '../lib/clock.ts';
import { AccountNotices } from '../sign-in/account-notices.ts';
import { addressRoutes } from '../sign-in/address/address.routes.ts';
import { AddressChangeService } from '../sign-in/address/address-change.service.ts';
import { AdmissionService } from '../sign-in/admission.service.ts';
import { deleteEmailCodesOf } from '../sign-in/email-codes.store.ts';
import { EmailCodes } from '../sign-in/email-codes.ts';
import { EmailSignInService } from '../sign-in/email-sign-in.service.ts';
import { invitationMail } from '../sign-in/invitation-mail.ts';
import { PasskeyChallenges } from '../sign-in/passkeys/passkey-challenges.ts';
import { findPasskeyOrigin } from '../sign-in/passkeys/passkey-origin.ts';
import { PasskeySignInService } from '../sign-in/passkeys/passkey-sign-in.service.ts';
import { passkeyRoutes } from '../sign-in/passkeys/passkeys.routes.ts';
import { PasskeysService } from '../sign-in/passkeys/passkeys.service.ts';
import { PendingChanges } from '../sign-in/pending-changes.ts';
import { ProofGate } from '../sign-in/proof-gate.ts';
import { isAppleIssuer } from '../sign-in/provider/discovery.ts';
import { IdentityProvider } from '../sign-in/provider/identity-provider.ts';
import { IdpSignInService } from '../sign-in/provider/idp-sign-in.service.ts';
import { ProviderAccounts } from '../sign-in/provider/provider-accounts.ts';
import { ProviderRevocations } from '../sign-in/provider/provider-revocations.ts';
import { RelyingParty } from '../sign-in/provider/relying-party.ts';
import { webSignInRoutes } from '../sign-in/provider/web-sign-in.routes.ts';
import { type WebProvider, WebSignInService } from '../sign-in/provider/web-sign-in.service.ts';
import { SecondFactorService } from '../sign-in/second-factor.service.ts';
import { SecondFactorCodes } from '../sign-in/second-factor-codes.ts';
import { secondFactorResetRoutes } from '../sign-in/second-factor-resets.routes.ts';
import { SecondFactorResets } from '../sign-in/second-factor-resets.service.ts';
import { SessionsService } from '../sign-in/sessions.service.ts';
import { signInRoutes } from '../sign-in/sign-in.routes.ts';
import { SignInService } from '../sign-in/sign-in.service.ts';
import { type FindOpenInvite, type SignUpParts, SignUpService } from '../sign-in/sign-up.service.ts';
import { TakeBackLinks } from '../sign-in/take-back-links.ts';
import { adminRulesOf } from './admin-rules.ts';
import type { Parts, Shared } from './parts.ts';

export function composeSignIn(
  { config, wallClock, logger }: Parts,
  shared: Shared,
  audit: Audit,
  findOpenInvite: FindOpenInvite,
) {
  const { db, schema, vault, mailer, throttle } = shared;
  const clock = wallClock;
  const backgroundMail = new BackgroundMail(mailer, logger);
  const baseUrl = baseUrlOf(config, config.PORT);
  const notices = new AccountNotices({ db, clock, throttle, backgroundMail, baseUrl });
  const gate = new ProofGate(throttle, audit);
  const sessions = new SessionsService(db, wallClock, audit, config.IDP_SESSION_DAYS);
  const codes = new SecondFactorCodes(vault, wallClock);
  const web = composeProvider(config, wallClock);
  const provider = web?.provider;
  const isEmailOn = config.EMAIL_SIGN_IN;
  const groupsOf = config.IDP_ALLOWED_GROUPS && provider?.discovery;
  const admission = new AdmissionService({ db, isEmailOn, groupsOf });
  const links = new TakeBackLinks(vault, baseUrl);
  const mailDue = () => pending.wake();
  const isMailSent = mailDeliveryOf(config) !== 'off';
  const adminRules = adminRulesOf(config);
  const isAdministrator = (person: User) => findAdminReason(person, adminRules) !== null;
  const resets = new SecondFactorResets({
    db,
    schema,
    clock,
    audit,
    notices,
    throttle,
    isMailSent,
    isAdministrator,
    mailDue,
  });
  const pending = new PendingChanges({ db, schema, clock, logger, mailer, links, resets });
  const signIn = new SignInService({ db, clock, sessions, codes, gate, throttle, notices, admission, resets });
  const emailCodes = new EmailCodes({ db, clock, vault, mailer, backgroundMail });
  const revocations = new ProviderRevocations(db, schema, wallClock, vault, provider, logger);
  const secondFactor = new SecondFactorService({ db, clock, codes, gate, audit, notices });
  const mailInvitation = async (sender: string, email: string) => {
    await throttle.enforce('invitesPerAccount', sender);
    await throttle.limitInviteMails(sender, email, () => mailer.send(invitationMail(email, baseUrl)));
  };
  const signUp = new SignUpService({ db, clock, rules: signUpRulesOf(config), findOpenInvite, mailInvitation });
  const addressChanging = (trx: Db, userId: string, email: string) => moveOwnMail(trx, userId, email, clock.now());
  const addresses = new AddressChangeService({
    db,
    clock,
    codes: emailCodes,
    gate,
    throttle,
    signUp,
    audit,
    backgroundMail,
    addressChanging,
    mailDue,
  });
  const groups = { allowed: config.IDP_ALLOWED_GROUPS, admins: config.IDP_ADMIN_GROUPS ?? [] };
  const accounts = new ProviderAccounts({ db, clock, vault, signIn, signUp, notices, groups });
  const webSignIn = new WebSignInService({ db, clock, vault, logger, web, gate, accounts });
  const passkeyOrigin = findPasskeyOrigin(baseUrl);
  const challenges = new PasskeyChallenges(vault, clock);
  const otherWaysIn = {
    isMailSent: isEmailOn && isMailSent,
    // An identity of the configured issuer is a way in also before the provider was first asked.
    knownIssuer: () => provider && (provider.discovery.knownIssuer ?? config.IDP_ISSUER),
  };
  const ofPasskeys = { db, clock, relyingParty: passkeyOrigin, challenges, gate, notices, admission };
  const passkeys = new PasskeysService({ ...ofPasskeys, audit, otherWaysIn });
  const email = new EmailSignInService({
    db,
    clock,
    codes: emailCodes,
    signIn,
    gate,
    throttle,
    signUp,
    audit,
    admission,
    links,
  });
  const signInRoutesOf = signInRoutes({
    email,
    idp: new IdpSignInService({ db, clock, vault, provider, gate, accounts }),
    signIn,
    signUp,
    sessions,
    secondFactor,
  });
  const routes = [
    signInRoutesOf,
    addressRoutes(addresses),
    secondFactorResetRoutes(resets),
    passkeyRoutes(passkeys, new PasskeySignInService({ ...ofPasskeys, signIn })),
  ];
  const listener: AccountListener = {
    tellOfDeletion: (trx, user) => addresses.tellOfDeletion(trx, user),
    accountDeleting: async (trx, userId) => {
      await deleteEmailCodesOf(trx, userId);
      await revocations.addForAccount(trx, userId);
    },
    accountDeleted: () => revocations.wake(),
  };
  const describeSignIn = async () => ({
    identity_provider: web?.relyingParty.isUsable ? describeProvider(config) : null,
    email: isEmailOn,
    mail: mailDeliveryOf(config),
    sign_up: await signUp.policy(),
    passkey_origin: passkeyOrigin?.origin ?? null,
  });
  return {
    email,
    sessions,
    secondFactor,
    passkeys,
    signUp,
    revocations,
    pending,
    addresses,
    addressChanging,
    links,
    resets,
    notices,
    backgroundMail,
    listener,
    describeSignIn,
    routes: [...routes, webSignInRoutes(webSignIn, config.BASE_URL)],
  };
}

const describeProvider = ({ IDP_NAME, IDP_ISSUER, IDP_AUTO_REDIRECT }: Config) => ({
  name: IDP_NAME ?? (isAppleIssuer(IDP_ISSUER) ? 'Apple' : null),
  auto_redirect: IDP_AUTO_REDIRECT,
});

const signUpRulesOf = ({ SIGN_UP, SIGN_UP_DOMAINS, ADMINS, IDP_SIGN_UP }: Config): SignUpParts['rules'] => ({
  signUp: SIGN_UP,
  domains: SIGN_UP_DOMAINS ?? [],
  admins: ADMINS ?? [],
  byProvider: IDP_SIGN_UP,
});

/** `auth` is how the client authenticates, if not by IDP_CLIENT_AUTH. */
export function composeProvider(
  config: Config,
  wallClock: Clock,
  auth: Config['IDP_CLIENT_AUTH'] = config.IDP_CLIENT_AUTH,
): WebProvider {
  const { IDP_AUDIENCE, IDP_ISSUER, IDP_JWKS_URL, APPLE_CLIENT_KEY, APPLE_CLIENT_KEY_ID, APNS_TEAM_ID } = config;
  if (!IDP_AUDIENCE) return undefined;
  const { IDP_GROUPS_CLAIM, IDP_ALLOWED_GROUPS, IDP_ADMIN_GROUPS } = config;
  const client =
    APPLE_CLIENT_KEY && APPLE_CLIENT_KEY_ID && APNS_TEAM_ID
      ? { key: APPLE_CLIENT_KEY, keyId: APPLE_CLIENT_KEY_ID, teamId: APNS_TEAM_ID }
      : undefined;
  const claims = { isEmailTrusted: config.IDP_EMAIL_TRUSTED, groupsClaim: IDP_GROUPS_CLAIM };
  const provider = new IdentityProvider(
    { issuer: IDP_ISSUER, audience: IDP_AUDIENCE, jwksUrl: IDP_JWKS_URL, client, claims },
    wallClock,
  );
  const relyingParty = new RelyingParty(provider, {
    issuer: IDP_ISSUER,
    clientId: IDP_AUDIENCE[0] ?? '',
    secret: config.IDP_CLIENT_SECRET,
    key: config.IDP_CLIENT_KEY,
    auth,
    scopes: config.IDP_SCOPES,
    groupsClaim: (IDP_ALLOWED_GROUPS ?? IDP_ADMIN_GROUPS) ? IDP_GROUPS_CLAIM : undefined,
  });
  return { provider, relyingParty };
}
