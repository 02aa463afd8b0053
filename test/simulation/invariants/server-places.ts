import { PLACES_PER_SERVER } from '../../../src/push/channel-provider.ts';
import type { Invariant } from '../invariant.ts';

/** A server that people share is asked for a few messages at once, however many wait. */
export const invariant: Invariant = {
  name: 'places of a server',
  time: ({ servers }) => {
    const [crowded] = [...servers].filter(([, { mostInFlight }]) => mostInFlight > PLACES_PER_SERVER);
    return crowded && `${crowded[1].mostInFlight} messages were on their way to ${crowded[0]} at once.`;
  },
};
