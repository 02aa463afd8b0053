import type { Invariant } from '../invariant.ts';

const STUCK_MS = 20_000;

/** A nudge is stored together with a delivery for every device, and none of them waits for ever. */
export const invariant: Invariant = {
  name: 'deliveries',
  nudge: (world, { entryId }, task) => {
    const rows = world.query("select target_id from deliveries where entry_id = ? and kind = 'nudge'", entryId);
    const targets = new Set(rows.map(({ target_id }) => target_id));
    const isMissed = world.phones.some(
      ({ owner, deviceId, isTokenDead, registeredMs }) =>
        owner === task.owner &&
        deviceId !== undefined &&
        !isTokenDead &&
        // In the same moment, the nudge may have been the first of the two.
        registeredMs < world.elapsedMs &&
        !targets.has(deviceId),
    );
    // The deliveries are deleted with their task, maybe in the same commit that stores the nudge.
    return isMissed && world.storedTask(task.id) ? `A nudge of “${task.title}” left out a device.` : undefined;
  },
  end: (world) => {
    const stuck = world.query(
      `select task_id, reason from deliveries
       where status = 'pending' and next_attempt_at < ? and created_at < ? and kind = 'nudge'`,
      world.runtime.wallNow() - STUCK_MS,
      world.clocks.ago(STUCK_MS),
    );
    if (stuck.length > 0) return `${stuck.length} deliveries are stuck in the outbox: ${JSON.stringify(stuck[0])}.`;
    const left = world.query('select kind from follow_ups');
    if (left.length > 0) return `A follow-up is not finished: ${left[0]?.kind}.`;
    const [unsettled] = world.corrections.unsettled.keys();
    return unsettled && `A departure has left “${world.tasks.get(unsettled)?.title}” as it was.`;
  },
};
