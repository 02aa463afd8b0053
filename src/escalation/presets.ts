/** The ladders that come with the service. `default` is what a task has until somebody chooses another. */
import type { Ladder, Rung } from './ladder.ts';

const FOR_EVER = { repeat_last: 1, times: null } as const;

const rungs = (count: number, after: Rung['after'], stage: number): Rung[] => Array(count).fill({ after, stage });

export const PRESETS = {
  default: {
    rungs: [{ after: 0, stage: 0 }, ...rungs(3, 15, 1), { after: 15, stage: 2 }, { after: 60, stage: 2 }],
    end: FOR_EVER,
  },
  gentle: {
    rungs: [
      { after: 0, stage: 0 },
      { after: 60, stage: 0 },
      { after: 240, stage: 1 },
      { after: 'day_start', stage: 1 },
    ],
    end: FOR_EVER,
  },
  persistent: {
    rungs: [{ after: 0, stage: 0 }, ...rungs(4, 5, 1), { after: 5, stage: 2 }],
    end: FOR_EVER,
  },
  daily: {
    rungs: [
      { after: 0, stage: 0 },
      { after: 'day_start', stage: 1 },
    ],
    end: FOR_EVER,
  },
  /** Every 15 minutes for three hours, then hourly. */
  medication: {
    rungs: [{ after: 0, stage: 0 }, ...rungs(2, 10, 1), ...rungs(12, 15, 2), { after: 60, stage: 2 }],
    end: FOR_EVER,
  },
} as const satisfies Record<string, Ladder>;

export type PresetName = keyof typeof PRESETS;

export const PRESET_NAMES = Object.keys(PRESETS) as readonly PresetName[];
