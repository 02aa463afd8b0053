/** By the rules of the person's language; "Room 10" comes after "Room 9". */
const collator = new Intl.Collator(undefined, { numeric: true });

/** The order of every list of choices that has no order of its own. */
export const alphabetical = <T>(items: Iterable<T>, nameOf: (item: T) => string): T[] =>
  [...items].sort((a, b) => collator.compare(nameOf(a), nameOf(b)));
