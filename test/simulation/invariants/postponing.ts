import { type Held, isGeneral } from '../holder.ts';
import { type Invariant, isStored } from '../invariant.ts';
import type { World } from '../world.ts';

const MINUTE_MS = 60_000;
const EVERY_MS = 5 * MINUTE_MS;
/** What would sound within this is put off at once. */
const SOON_MS = 4 * MINUTE_MS;
const LATENCY_MS = 2_000;
/** On a slow machine a message is decided this long before it is taken, perhaps while the one before is on its way. */
const DECIDED_BEFORE_MS = 5_000;

/** What is only put off is moved at most every five minutes, so that a busy day does not use up a server's messages. */
export const invariant: Invariant = {
  name: 'putting off',
  held: (world, held) => {
    const { before } = held;
    if (!before || before.takenMs <= world.clocks.jumpedMs || held.takenMs - before.takenMs >= EVERY_MS - LATENCY_MS)
      return undefined;
    const isPutOff = held.soundsMs > before.soundsMs + LATENCY_MS && before.soundsMs - held.takenMs > SOON_MS;
    return isPutOff && isKnown(world, before, held.takenMs - DECIDED_BEFORE_MS) && !namesOther(before, held)
      ? `“${held.title}” was put off twice in five minutes.`
      : undefined;
  },
};

/** A result that a failing database did not take is lost: the message is moved again when its lease is over. */
const isKnown = ({ faults }: World, before: Held, byMs: number): boolean =>
  faults.storedBy(before.answeredMs) === before.answeredMs && isStored(before, byMs);

/** What it names by its title, or in its list. */
const namedBy = (held: Held): string[] => {
  if (!isGeneral(held)) return [held.title];
  return [...held.body.matchAll(/(?:: |, )([^,:(]+) \(/g)].map(([, title = '']) => title);
};

/** A message without titles does not show what it is about. Its channel may show titles by now. */
const hidesTitles = (held: Held): boolean =>
  isGeneral(held) && held.title.includes('due') && namedBy(held).length === 0;

function namesOther(before: Held, held: Held): boolean {
  if (hidesTitles(before)) return true;
  const named = new Set(namedBy(held));
  return namedBy(before).some((title) => !named.has(title));
}
