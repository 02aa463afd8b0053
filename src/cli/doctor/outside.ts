/** One question to a server elsewhere: whether it answers, and what time it thinks it is. */
import type { Clock } from '../../lib/clock.ts';

const PATIENCE_MS = 6_000;

export interface Glimpse {
  readonly origin: string;
  /** Undefined where the server does not say, or where what it says was kept by somebody in between. */
  readonly date: Date | undefined;
  readonly askedAt: Date;
  readonly answeredAt: Date;
}

/** Any answer counts, a refusal too. Undefined where none came. */
export async function glimpse(origin: string, clock: Clock, signal: AbortSignal): Promise<Glimpse | undefined> {
  const askedAt = clock.now();
  try {
    const within = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
    const { headers } = await fetch(origin, { method: 'HEAD', redirect: 'manual', signal: within });
    const [date, age] = [headers.get('date'), headers.get('age')];
    return { origin, date: date && !age ? new Date(date) : undefined, askedAt, answeredAt: clock.now() };
  } catch {
    return undefined;
  }
}
