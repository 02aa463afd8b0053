/**
 * Who gets a new account, and who may enter one that exists. Every way in asks here, and no other place decides.
 *
 * Who gets a new account. Without SIGN_UP, an administrator switches between `open`
 * and `invite`; it starts as `open`. Every row also admits addresses that an administrator has invited.
 *
 * | SIGN_UP | SIGN_UP_DOMAINS | admitted, besides the addresses in ADMINS                 |
 * | ------- | --------------- | --------------------------------------------------------- |
 * | open    | unset           | anyone                                                    |
 * | open    | set             | addresses of these domains                                |
 * | invite  | unset           | holders of an open invitation                             |
 * | invite  | set             | holders of an open invitation, addresses of these domains |
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

/** The address must be verified, unless the account is created only once it is. */
export function isAddressAdmitted(rules: SignUpRules, verifiedEmail: string | undefined): boolean {
  if (policyOf(rules) === 'open') return true;
  if (verifiedEmail === undefined) return false;
  const domain = verifiedEmail.slice(verifiedEmail.lastIndexOf('@') + 1);
  return rules.admins.includes(verifiedEmail) || rules.domains.includes(domain);
}

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
