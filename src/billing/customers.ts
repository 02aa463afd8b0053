/**
 * Who is who: the provider knows one customer by several names, and tells which belong together
 * whenever it speaks of one. Whenever it says so, it counts for everything that it ever said.
 */

/** Returns what two names have in common exactly where they are one customer's. */
export function customersOf(namedTogether: Iterable<readonly string[]>): (name: string) => string {
  const parents = new Map<string, string>();
  const rootOf = (name: string): string => {
    let root = name;
    for (let parent = parents.get(root); parent !== undefined; parent = parents.get(root)) root = parent;
    return root;
  };
  for (const names of namedTogether) {
    for (const name of names) {
      const [root, other] = [rootOf(names[0] ?? name), rootOf(name)];
      if (root !== other) parents.set(other, root);
    }
  }
  return rootOf;
}
