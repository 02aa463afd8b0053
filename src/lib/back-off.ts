/** Exponential back-off: the wait doubles with every failure in a row, from `firstMs` up to `longestMs`. */
export interface BackOff {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** The wait after this many failures in a row; 1 is the first. */
export const backOffMs = ({ firstMs, longestMs }: BackOff, failures: number): number =>
  Math.min(longestMs, firstMs * 2 ** (failures - 1));

/** Spreads a wait over its upper half, so that processes that failed together do not all retry together. */
export const withJitter = (waitMs: number, random: number): number => waitMs * (0.5 + random / 2);
