/** Which tasks of a list are selected. Pure. */
export interface Selection {
  readonly ids: ReadonlySet<string>;
  /** The task that was selected last without Shift: a range begins there. */
  readonly anchor: string | undefined;
}

export const EMPTY_SELECTION: Selection = { ids: new Set(), anchor: undefined };

export function toggle({ ids }: Selection, id: string): Selection {
  const next = new Set(ids);
  if (!next.delete(id)) next.add(id);
  return { ids: next, anchor: id };
}

/** Selects from the anchor to the task, in the order of the screen. Without an anchor it selects the task alone. */
export function extend({ ids, anchor }: Selection, id: string, order: readonly string[]): Selection {
  const [from, to] = [order.indexOf(anchor ?? id), order.indexOf(id)];
  if (from === -1 || to === -1) return toggle({ ids, anchor }, id);
  const range = order.slice(Math.min(from, to), Math.max(from, to) + 1);
  return { ids: new Set([...ids, ...range]), anchor: anchor ?? id };
}

/** Tasks that left the screen, done elsewhere or filtered away, are not acted on. */
export function keepShown(selection: Selection, order: readonly string[]): Selection {
  const shown = order.filter((id) => selection.ids.has(id));
  return shown.length === selection.ids.size ? selection : { ...selection, ids: new Set(shown) };
}
