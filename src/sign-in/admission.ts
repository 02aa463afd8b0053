/**
 * Who gets a new account, and who may enter one that exists. Every way in asks here, and no other place decides.
 *
 * Who gets a new account. Without SIGN_UP, an administrator switches between `open`
 * and `invite`; it starts as `open`. Every row also admits addresses that an administrator has invited, and people of the
 * identity provider who are in one of IDP_ALLOWED_GROUPS: whoever keeps the groups has let them in already.
 *
 * | SIGN_UP | SIGN_UP_DOMAINS | admitted, besides the addresses in ADMINS                 |
 * | ------- | --------------- | --------------------------------------------------------- |
 * | open    | unset           | anyone                                                    |
 * | open    | set             | addresses of these domains                                |
 * | invite  | unset           | holders of an open invitation                             |
 * | invite  | set             | holders of an open invitation, addresses of these domains |
 *
 * An account that exists changes to any address; with SIGN_UP_DOMAINS to one of these domains, of ADMINS, or invited.
 *
 * With IDP_SIGN_UP=false the identity provider makes no accounts. Who has an account may enter it, except:
 *
 * | refused                         | by mail | by passkey | at the provider |
 * | ------------------------------- | ------- | ---------- | --------------- |
 * | `account_suspended`             | yes     | yes        | yes             |
 * | `email_sign_in_off`             | yes     |            |                 |
 * | `group_required`                |         |            | yes             |
 * | `provider_required`             | yes     | yes        |                 |
 * | `identity_provider_unavailable` | yes     | yes        |                 |
 *
 * The last three exist where IDP_ALLOWED_GROUPS is set: people whom the provider knows sign in there alone, because no
 * other way in says whether they are still in a group. As long as the provider never said what its issuer is, nobody
 * can tell whom it knows, so everyone with an identity of any provider waits.
 */

export interface SignUpRules {
  readonly signUp: 'open' | 'invite';
  /** Addresses and domains in the form of `normalizeEmail`. */
  readonly domains: readonly string[];
  readonly admins: readonly string[];
  /** Whether the identity provider makes accounts too. */
  readonly byProvider: boolean;
}

/** How somebody proves who they are. A second factor belongs to the way that it completes. */
export type WayIn = 'email' | 'passkey' | 'provider';

/** `domains`: only addresses of certain domains. */
export type SignUpPolicy = 'open' | 'invite' | 'domains';

export const policyOf = ({ signUp, domains }: SignUpRules): SignUpPolicy =>
  signUp === 'open' && domains.length > 0 ? 'domains' : signUp;

/** Who asks for a new account, and has proved the address. */
export interface Newcomer {
  readonly way: 'email' | 'provider';
  readonly verifiedEmail: string | undefined;
  /** False where the provider did not name a group of IDP_ALLOWED_GROUPS, and where that is not set. */
  readonly isInAllowedGroup: boolean;
}

/** Whether an invitation is not even needed. */
export const isNewcomerAdmitted = (rules: SignUpRules, { verifiedEmail, isInAllowedGroup }: Newcomer): boolean =>
  isInAllowedGroup || isAddressAdmitted(rules, verifiedEmail);

/** The address must be verified, unless the account is created only once it is. */
export function isAddressAdmitted(rules: SignUpRules, verifiedEmail: string | undefined): boolean {
  if (policyOf(rules) === 'open') return true;
  if (verifiedEmail === undefined) return false;
  const domain = verifiedEmail.slice(verifiedEmail.lastIndexOf('@') + 1);
  return rules.admins.includes(verifiedEmail) || rules.domains.includes(domain);
}

/**
 * Whether an account that exists may change to this address. With SIGN_UP_DOMAINS a person who has an address there keeps
 * one of those, so that the account ends for them with the mailbox.
 */
export const mayAccountHave = (rules: SignUpRules, verifiedEmail: string): boolean =>
  rules.domains.length === 0 || isAddressAdmitted(rules, verifiedEmail);

export const areInvitesAdmitted = (rules: SignUpRules): boolean => policyOf(rules) === 'invite';

export interface EntryRules {
  readonly isEmailOn: boolean;
  /** Whether groups of the identity provider decide who gets in. */
  readonly doGroupsDecide: boolean;
  /** Exactly as the provider's document names it; undefined if the provider was never reached. */
  readonly issuer: string | undefined;
}

export interface Entrant {
  readonly way: WayIn;
  readonly isSuspended: boolean;
  /** The issuers of the identities that the account has. */
  readonly issuers: readonly string[];
  /** Of a sign-in at the provider: whether the provider named an allowed group. */
  readonly isInGroup: boolean;
}

export type EntryRefusal =
  | 'account_suspended'
  | 'email_sign_in_off'
  | 'group_required'
  | 'provider_required'
  | 'identity_provider_unavailable';

/** Undefined if the person may enter. */
export function findRefusal({ isEmailOn, ...rules }: EntryRules, entrant: Entrant): EntryRefusal | undefined {
  if (entrant.isSuspended) return 'account_suspended';
  if (entrant.way === 'email' && !isEmailOn) return 'email_sign_in_off';
  if (!rules.doGroupsDecide) return undefined;
  if (entrant.way === 'provider') return entrant.isInGroup ? undefined : 'group_required';
  if (rules.issuer === undefined) return entrant.issuers.length > 0 ? 'identity_provider_unavailable' : undefined;
  return entrant.issuers.includes(rules.issuer) ? 'provider_required' : undefined;
}
