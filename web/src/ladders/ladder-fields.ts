/** A ladder as the editor has it, while a number may be missing. Pure. */
import type { LadderShape, WaitUnit } from './format-ladder.ts';
import { splitWait, UNIT_MINUTES } from './format-ladder.ts';

export const MOST_RUNGS = 20;
export const MOST_TIMES = 1_000;
/** Thirty days. */
const LONGEST_WAIT = 43_200;

/** The longest wait in a unit. */
export const mostOf = (unit: WaitUnit): number => LONGEST_WAIT / UNIT_MINUTES[unit];

export interface RungFields {
  /** Stays with the rung when it moves. */
  readonly key: number;
  readonly unit: WaitUnit | 'day_start' | 'clock';
  readonly count: string;
  readonly clock: string;
  readonly stage: number;
}

export interface LadderFields {
  readonly name: string;
  readonly rungs: readonly RungFields[];
  readonly end: 'forever' | 'times' | 'stop';
  readonly last: string;
  readonly times: string;
}

const EVENING = '18:00';

export function toFields(name: string, { rungs, end }: LadderShape): LadderFields {
  return {
    name,
    rungs: rungs.map((rung, key) => toRungFields(rung, key)),
    end: end === null ? 'stop' : end.times === null ? 'forever' : 'times',
    last: String(end?.repeat_last ?? 1),
    times: String(end?.times ?? 3),
  };
}

function toRungFields({ after, stage }: LadderShape['rungs'][number], key: number): RungFields {
  if (typeof after === 'number') {
    const { count, unit } = splitWait(after);
    return { key, unit, count: String(count), clock: EVENING, stage };
  }
  const isStart = after === 'day_start';
  return { key, unit: isStart ? 'day_start' : 'clock', count: '1', clock: isStart ? EVENING : after, stage };
}

const numberOf = (text: string): number => Math.max(0, Math.round(Number(text)) || 0);

export function toLadder({ rungs, end, last, times }: LadderFields): LadderShape {
  return {
    rungs: rungs.map((rung, index) => ({ after: index === 0 ? 0 : afterOf(rung), stage: rung.stage })),
    end:
      end === 'stop'
        ? null
        : {
            repeat_last: Math.min(rungs.length, Math.max(1, numberOf(last))),
            times: end === 'forever' ? null : Math.max(1, numberOf(times)),
          },
  };
}

function afterOf({ unit, count, clock }: RungFields): number | string {
  if (unit === 'day_start') return 'day_start';
  if (unit === 'clock') return clock === '' ? EVENING : clock;
  return Math.min(LONGEST_WAIT, numberOf(count) * UNIT_MINUTES[unit]);
}

/** Like the last one, which is what most ladders go on with. */
export function addRung({ rungs, ...others }: LadderFields): LadderFields {
  const last = rungs.at(-1);
  const key = Math.max(...rungs.map((rung) => rung.key)) + 1;
  const isFirst = rungs.length === 1;
  const added: RungFields = { unit: 'minutes', count: '15', clock: EVENING, stage: 0, ...(!isFirst && last), key };
  return { ...others, rungs: [...rungs, added] };
}

/** The first rung is the nudge at the due moment, and stays. */
export function moveRung({ rungs, ...others }: LadderFields, index: number, by: 1 | -1): LadderFields {
  const [moved, other] = [rungs[index], rungs[index + by]];
  if (!moved || !other || index < 1 || index + by < 1) return { rungs, ...others };
  return { ...others, rungs: rungs.with(index, other).with(index + by, moved) };
}

/** Which rung a refusal is about, or the end. In the order in which the service looks. */
export function findWrongPlace({ rungs }: LadderShape, shortest: number): number | 'end' {
  const wrongWait = rungs.findIndex(({ after }, index) => index > 0 && typeof after === 'number' && after < shortest);
  if (wrongWait > 0) return wrongWait;
  const wrongStage = rungs.findIndex(({ stage }, index) => stage < (rungs[index - 1]?.stage ?? 0));
  return wrongStage > 0 ? wrongStage : 'end';
}
