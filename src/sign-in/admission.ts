/**
 * Who gets a new account. People who have one always sign in. Without SIGN_UP, an administrator switches between `open`
 * and `invite`; it starts as `open`. Every row also admits addresses that an administrator has invited.
 *
 * | SIGN_UP | SIGN_UP_DOMAINS | admitted, besides the addresses in ADMINS                 |
 * | ------- | --------------- | --------------------------------------------------------- |
 * | open    | unset           | anyone                                                    |
 * | open    | set             | addresses of these domains                                |
 * | invite  | unset           | holders of an open invitation                             |
 * | invite  | set             | holders of an open invitation, addresses of these domains |
 */

export interface SignUpRules {
  readonly signUp: 'open' | 'invite';
  /** Addresses and domains in the form of `normalizeEmail`. */
  readonly domains: readonly string[];
  readonly admins: readonly string[];
}

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
