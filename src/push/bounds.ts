/** What FCM and Web Push limit alike: for how long a push is kept, and how large it may be. */
import { fitBytes } from './wording.ts';

/** Four weeks, the most that either keeps a push for. */
const LONGEST_TTL_SECONDS = 2_419_200;

/** Zero where the moment has passed: deliver now or never. */
export function timeToLiveSeconds(expiresAt: Date, now: Date): number {
  const seconds = Math.ceil((expiresAt.getTime() - now.getTime()) / 1_000);
  return Math.min(Math.max(seconds, 0), LONGEST_TTL_SECONDS);
}

/** Builds the payload with as much of the title as keeps its JSON within the limit. */
export function withFittingTitle<T>(title: string, mostBytes: number, build: (title: string) => T): T {
  for (let room = Buffer.byteLength(title); ; ) {
    const built = build(fitBytes(title, room));
    const excess = Buffer.byteLength(JSON.stringify(built)) - mostBytes;
    if (excess <= 0 || room <= 0) return built;
    // JSON writes some characters longer than they are, never shorter: so much less is enough less.
    room -= excess;
  }
}
