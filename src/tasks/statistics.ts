/** Honest figures from the running sums. Where nothing has happened yet, a rate is null and not a flattering 100 %. */
export interface Sums {
  readonly open: number;
  readonly overdue: number;
  readonly done: number;
  readonly skipped: number;
  readonly snoozed: number;
  readonly nudges_sent: number;
  readonly seconds_to_done: number;
}

export interface Statistics extends Omit<Sums, 'seconds_to_done'> {
  readonly nudges_per_completion: number;
  readonly avg_hours_to_complete: number | null;
  readonly completion_rate: number | null;
}

export function statisticsOf({ seconds_to_done, ...sums }: Sums): Statistics {
  const { done, skipped, nudges_sent } = sums;
  return {
    ...sums,
    nudges_per_completion: done === 0 ? 0 : nudges_sent / done,
    avg_hours_to_complete: done === 0 ? null : seconds_to_done / done / 3_600,
    completion_rate: done + skipped === 0 ? null : done / (done + skipped),
  };
}
