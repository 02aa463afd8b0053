/** Whether nudges can reach an account, and if not, why. Pure. */

export type Unreachable =
  | 'nothing_set_up'
  /** Its owner has not shown yet that a channel is theirs. */
  | 'not_confirmed'
  /** The address is dead, or was refused too often. */
  | 'not_working'
  | 'switched_off'
  /** Only mail would reach the owner, who has not opened the app for so long that none is sent. */
  | 'mail_paused'
  /** The operator has not configured, or no longer configures, what it needs. */
  | 'not_configured';

interface Target {
  readonly isConfigured: boolean;
  readonly isConfirmed: boolean;
  readonly isOff: boolean;
  readonly isWorking: boolean;
  readonly isPaused: boolean;
}

/** The reason that is easiest to act on: one that a click can fix comes first. */
export function findReach(targets: readonly Target[]): { reachable: boolean; reason: Unreachable | null } {
  if (targets.length === 0) return { reachable: false, reason: 'nothing_set_up' };
  const reasons = targets.map(findObstacle);
  if (reasons.includes(null)) return { reachable: true, reason: null };
  const order: readonly Unreachable[] = [
    'mail_paused',
    'not_confirmed',
    'switched_off',
    'not_working',
    'not_configured',
  ];
  return { reachable: false, reason: order.find((reason) => reasons.includes(reason)) ?? 'nothing_set_up' };
}

function findObstacle({ isConfigured, isConfirmed, isOff, isWorking, isPaused }: Target): Unreachable | null {
  if (!isConfigured) return 'not_configured';
  if (isOff) return 'switched_off';
  if (!isConfirmed) return 'not_confirmed';
  if (!isWorking) return 'not_working';
  return isPaused ? 'mail_paused' : null;
}
