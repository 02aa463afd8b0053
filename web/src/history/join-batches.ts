/** Several requests of one press are one bulk change to the person. Pure. */

export interface Bulk {
  readonly as: string;
  readonly at: string;
  readonly batchIds: readonly string[];
  readonly taskIds: readonly string[];
}

interface Batch {
  readonly batch_id: string;
  readonly as: string;
  readonly at: string;
  readonly task_ids: readonly string[];
}

/** Requests of one press follow one another at once. */
const TOGETHER_MS = 20_000;

/** `batches`: the newest first. */
export function joinBatches(batches: readonly Batch[]): Bulk[] {
  const joined: Bulk[] = [];
  let earliest = Number.POSITIVE_INFINITY;
  for (const { batch_id, as, at, task_ids } of batches) {
    const last = joined.at(-1);
    const isSame = last?.as === as && earliest - Date.parse(at) <= TOGETHER_MS;
    earliest = Date.parse(at);
    const before = isSame ? joined.pop() : undefined;
    joined.push({
      as,
      at: before?.at ?? at,
      batchIds: [...(before?.batchIds ?? []), batch_id],
      taskIds: [...(before?.taskIds ?? []), ...task_ids],
    });
  }
  return joined;
}
