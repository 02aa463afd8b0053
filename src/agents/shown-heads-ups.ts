/** The heads-ups of a task in words. */
export interface ApiHeadsUp {
  readonly minutes?: number;
  readonly hours?: number;
  readonly days?: number;
}

/** `1 day before, 30 minutes before` */
export const headsUpsInWords = (headsUps: readonly ApiHeadsUp[]): string => headsUps.map(inWords).join(', ');

function inWords({ minutes, hours, days }: ApiHeadsUp): string {
  if (days === 0) return 'in the morning of the due day';
  const [count, unit] =
    minutes !== undefined ? [minutes, 'minute'] : hours !== undefined ? [hours, 'hour'] : [days, 'day'];
  return `${count} ${unit}${count === 1 ? '' : 's'} before`;
}
