/** A ladder that was never sent, for showing how reminders grow. Pure. */
import type { Nudge, TimelineEntry } from '../api/client.ts';
import { type LadderLayout, layOutLadder } from '../ladder/ladder-layout.ts';

const MINUTE_MS = 60_000;
/** The first nudges of every ladder, as the service sends them. */
const STEPS = [
  { minutes: 0, stage: 0 },
  { minutes: 15, stage: 1 },
  { minutes: 30, stage: 1 },
  { minutes: 45, stage: 1 },
  { minutes: 60, stage: 2 },
  { minutes: 120, stage: 2 },
] as const;

export const SAMPLE_NUDGES = STEPS.length;

interface Sample {
  readonly layout: LadderLayout;
  /** When the newest nudge was sent, and how strong it was. */
  readonly at: number;
  readonly stage: number;
}

/** The ladder of a task due at `due`, after `sent` of its nudges. */
export function sampleLadder(due: number, sent: number): Sample {
  const nudges = STEPS.map(({ minutes, stage }) => ({ at: due + minutes * MINUTE_MS, stage }));
  const newest = nudges[Math.max(0, sent - 1)] ?? { at: due, stage: 0 };
  const layout = layOutLadder({
    task: { due_at: new Date(due).toISOString(), has_time: true, status: 'open' },
    timeline: nudges.slice(0, sent).map(toEntry).toReversed(),
    forecast: nudges.slice(sent).map(toForecast),
    now: newest.at,
  });
  return { layout, at: newest.at, stage: newest.stage };
}

interface SampleNudge {
  readonly at: number;
  readonly stage: number;
}

const toForecast = ({ at, stage }: SampleNudge): Nudge => {
  const moment = new Date(at).toISOString();
  return { at: moment, wanted_at: moment, stage, holds: [], via: [], unreached: null, falls: [] };
};

const toEntry = ({ at, stage }: SampleNudge): TimelineEntry => ({
  id: String(at),
  at: new Date(at).toISOString(),
  kind: 'nudge',
  by: null,
  person_id: null,
  person_name: null,
  token_id: null,
  token: null,
  stage,
  until: null,
  holds: [],
  occurrence_due_at: null,
  fields: [],
  before: null,
  unreached: null,
  missed: null,
  batch_id: null,
  via: null,
  since: null,
  reached: 'sent',
  deliveries: null,
});
