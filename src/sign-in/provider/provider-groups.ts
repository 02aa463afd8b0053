/** Decides at each sign-in what the person's groups mean here, by what the identity provider says then. */

export interface GroupRules {
  /** Undefined: everyone is admitted. */
  readonly allowed: readonly string[] | undefined;
  readonly admins: readonly string[];
}

/** `groups` is undefined if the provider said nothing about them: then nobody is in a group. */
export function judgeGroups(
  groups: readonly string[] = [],
  { allowed, admins }: GroupRules,
): { isAdmitted: boolean; isAdmin: boolean } {
  const isIn = (wanted: readonly string[]) => wanted.some((group) => groups.includes(group));
  return { isAdmitted: allowed === undefined || isIn(allowed), isAdmin: isIn(admins) };
}
