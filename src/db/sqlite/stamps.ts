/** The moments that changes are stamped with. */

export interface Stamps {
  readonly now: () => Date;
  readonly raise: (toMs: number) => void;
}

/** A clock that stands still while `now` shows an earlier time than before (`../given-moments.ts`). */
export function neverBack(now: () => Date): Stamps {
  let latestMs = 0;
  const raise = (toMs: number) => {
    latestMs = Math.max(latestMs, toMs);
  };
  return {
    raise,
    now: () => {
      raise(now().getTime());
      return new Date(latestMs);
    },
  };
}
