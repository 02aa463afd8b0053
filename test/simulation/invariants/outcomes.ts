import type { Invariant } from '../invariant.ts';

/** Each closed occurrence has one outcome, and a reopened one has none. */
export const invariant: Invariant = {
  name: 'one outcome per occurrence',
  end: (world) => {
    for (const person of world.people.values()) {
      if (person.isGone) continue;
      const rows = world.query(
        'select task_id, outcome, occurrence_due_at from outcomes where owner_id = ?',
        person.id,
      );
      const stored = rows.map((row) => `${row.task_id} ${row.outcome} ${row.occurrence_due_at}`).sort();
      const wanted = person.outcomes.map(({ taskId, kind, occurrence }) => `${taskId} ${kind} ${occurrence}`).sort();
      if (stored.join('\n') !== wanted.join('\n'))
        return `${person.name} has the outcomes ${JSON.stringify(stored)} instead of ${JSON.stringify(wanted)}.`;
    }
    return undefined;
  },
};
