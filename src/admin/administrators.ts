/**
 * Who administers the installation. Judged at each request, so that an account without a reason left is refused at once.
 *
 * | reason          | holds while                                                                               |
 * | --------------- | ----------------------------------------------------------------------------------------- |
 * | `setting`       | ADMINS has the address of the account, which its owner has proven                         |
 * | `provider`      | the account was in an administrators' group at its last sign-in at the identity provider  |
 * | `command_line`  | the operator named the account with `crescendo user admin`, or its owner entered the word |
 * |                 | that the terminal of the operator shows (`claim.service.ts`)                              |
 * | `first_account` | it was the oldest account when that sufficed, and strangers cannot reach the service      |
 *
 * A suspended account does not administer.
 */
import { isPublicUrl } from '../lib/public-address.ts';

export type AdminReason = 'setting' | 'provider' | 'command_line' | 'first_account';

export interface AdminRules {
  /** Addresses in the form of `normalizeEmail`. */
  readonly admins: readonly string[];
  readonly isFirstAccountAdmin: boolean;
}

export interface AdminFacts {
  readonly id: string;
  readonly email: string | null;
  readonly is_admin: boolean;
  readonly admin_by_provider: boolean;
  readonly first_account: boolean;
  readonly suspended_at: Date | null;
}

export function findAdminReason(user: AdminFacts, { admins, isFirstAccountAdmin }: AdminRules): AdminReason | null {
  if (user.suspended_at !== null) return null;
  if (user.email !== null && admins.includes(user.email)) return 'setting';
  if (user.admin_by_provider) return 'provider';
  if (user.is_admin) return 'command_line';
  return isFirstAccountAdmin && user.first_account ? 'first_account' : null;
}

const EVERY_INTERFACE = ['0.0.0.0', '::'];

interface Reachability {
  readonly baseUrl: string | undefined;
  readonly listenHost: string;
  readonly isBehindProxy: boolean;
}

/**
 * Whether only this machine or its local network can reach the service. Without a BASE_URL, a proxy or a HOST of all
 * interfaces leaves that open, so strangers might.
 */
export function isPrivateService({ baseUrl, listenHost, isBehindProxy }: Reachability): boolean {
  if (baseUrl !== undefined) return !isPublicUrl(baseUrl);
  if (isBehindProxy || EVERY_INTERFACE.includes(listenHost)) return false;
  return !isPublicUrl(`http://${listenHost.includes(':') ? `[${listenHost}]` : listenHost}`);
}
