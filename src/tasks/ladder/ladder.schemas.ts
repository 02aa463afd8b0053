import { end, ladderChoice, ladderId, rungs } from '../../escalation/ladder.schemas.ts';
import type { HeadsUp } from '../../escalation/plan-nudge.ts';
import { PRESET_NAMES } from '../../escalation/presets.ts';
import { component, named, nullable, Type } from '../../lib/schema.ts';
import { LONGEST_LEAD_DAYS, MOST_HEADS_UPS } from '../plan-task.ts';
import { NudgeForecast } from '../timeline/timeline.schemas.ts';
import { FITS, type Fit, type ShownLadder } from './fit-ladder.ts';

const fitted = Type.Array(Type.Unsafe<Fit>({ type: 'string', enum: FITS }), {
  description:
    'In what the nudges depart from the ladder: `waits_lengthened` to the shortest that is allowed, ' +
    '`repeats_although_ended` because the task must not be missed, `once_only` because it notifies once, ' +
    '`stage_limited` or `waits_limited_by_token` because of an access token that changed it.',
});

export const TaskLadderOut = component(
  'TaskLadderOut',
  Type.Object({
    rungs,
    end,
    name: nullable(Type.String({ description: 'Of a ladder of your own; for the owner only.' })),
    preset: Type.Unsafe<ShownLadder['preset']>({ type: ['string', 'null'], enum: [...PRESET_NAMES, null] }),
    ladder_id: nullable(ladderId),
    from: Type.Unsafe<ShownLadder['from']>({
      type: 'string',
      enum: ['task', 'label', 'account', 'service'],
      description: 'What chose it: the task, its label, the default of the account, or nobody.',
    }),
    label: nullable(Type.String({ description: 'The label that chose it.' })),
    counting_label: Type.String({
      description:
        'The label that counts for its ladder: the one that its owner chose, also after somebody else has changed it.',
    }),
    fitted,
  }),
);

export const LadderChoice = component('LadderChoice', Type.Object(ladderChoice));

export const LadderPreviewRequest = component(
  'LadderPreviewRequest',
  Type.Object({
    ...ladderChoice,
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 10 })),
  }),
);

export const LadderPreviewOut = component(
  'LadderPreviewOut',
  Type.Object({ nudges: Type.Array(named(NudgeForecast)), fitted }),
);

/** One of the three. */
export const headsUp = Type.Unsafe<HeadsUp>({
  ...Type.Object({
    minutes: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_440 })),
    hours: Type.Optional(Type.Integer({ minimum: 1, maximum: 168 })),
    days: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: LONGEST_LEAD_DAYS,
        description: 'Counted in days; at the start of your day.',
      }),
    ),
  }),
  examples: [{ minutes: 30 }],
});

export const HeadsUps = component(
  'HeadsUps',
  Type.Object({
    heads_ups: Type.Unsafe<readonly HeadsUp[]>({
      ...Type.Array(headsUp, { maxItems: MOST_HEADS_UPS + 1 }),
      description:
        `How long before the due moment: each one of \`minutes\`, \`hours\` and \`days\`. At most ${MOST_HEADS_UPS}, ` +
        'besides the first one in days, which is the `lead_time_days` of the task.',
    }),
  }),
);
