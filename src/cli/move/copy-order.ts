/** Puts each table behind those it refers to, so that no row arrives before the one it needs. */
export function copyOrder(references: ReadonlyMap<string, readonly string[]>): string[] {
  const ordered = new Set<string>();
  while (ordered.size < references.size) {
    const ready = [...references].filter(
      ([name, parents]) => !ordered.has(name) && parents.every((parent) => ordered.has(parent)),
    );
    if (ready.length === 0) throw new Error('Some tables refer to each other in a circle: no order suits them.');
    for (const [name] of ready) ordered.add(name);
  }
  return [...ordered];
}
