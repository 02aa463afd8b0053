/** A task as the tools return it: the API's fields, times in the user's zone, and the next nudge in words. */
import type { Static } from 'typebox';
import { Type } from '../lib/schema.ts';
import { allDayDate, dateInWords, distanceInWords, exactTime, localTime, timeInWords } from './format-time.ts';
import { orNull } from './tool-schemas.ts';

/** The fields that the tools use of a task from the API. */
export interface ApiTask {
  readonly id: string;
  readonly title: string;
  readonly kind: string;
  readonly due_at: string | null;
  readonly has_time: boolean;
  readonly mode: string;
  readonly status: string;
  readonly accepted_by_owner: boolean;
  readonly escalation_stage: number;
  readonly nudge_count: number;
  readonly next_fire_at: string | null;
  readonly last_nudge_at: string | null;
  readonly completed_at: string | null;
  readonly skipped_at: string | null;
  readonly created_at: string;
}

/** The time zone and the current time that an answer refers to. */
export interface TimeContext {
  readonly zone: string;
  readonly now: Date;
}

const time = (description: string) => Type.String({ format: 'date-time', description });

export const timeFieldSchemas = {
  timezone: Type.String({ description: "The user's IANA time zone, in which all times here are given." }),
  now: time('The present moment.'),
};

export const taskViewSchema = Type.Object({
  id: Type.String({ description: 'The task_id for the other tools.' }),
  title: Type.String(),
  kind: Type.String(),
  status: Type.String({ description: 'open, done, skipped, dropped or declined.' }),
  accepted_by_owner: Type.Boolean({ description: 'False while another person waits for the user to accept it.' }),
  due_at: orNull(time('Of a task without a time, only its date counts.')),
  has_time: Type.Boolean(),
  mode: Type.String({ description: 'escalate or notify_once.' }),
  escalation_stage: Type.Integer({ description: 'How strong the last nudge was: 0, 1 or 2.' }),
  nudge_count: Type.Integer(),
  next_nudge_at: orNull(time('When the user is reminded next.')),
  next_nudge: Type.String({ description: 'The same in words, or why there is none.' }),
  last_nudge_at: orNull(time('')),
  completed_at: orNull(time('')),
  skipped_at: orNull(time('')),
  created_at: time(''),
});

export const localOrNull = (text: string | null, zone: string): string | null =>
  text === null ? null : localTime(new Date(text), zone);

export const timeFields = ({ zone, now }: TimeContext) => ({ timezone: zone, now: localTime(now, zone) });

export function toTaskView(task: ApiTask, context: TimeContext): Static<typeof taskViewSchema> {
  const { id, title, kind, status, accepted_by_owner, has_time, mode, escalation_stage, nudge_count } = task;
  const local = (text: string | null) => localOrNull(text, context.zone);
  return {
    id,
    title,
    kind,
    status,
    accepted_by_owner,
    due_at: task.due_at === null ? null : exactTime(new Date(task.due_at), context.zone),
    has_time,
    mode,
    escalation_stage,
    nudge_count,
    next_nudge_at: local(task.next_fire_at),
    next_nudge: nextNudgeInWords(task, context),
    last_nudge_at: local(task.last_nudge_at),
    completed_at: local(task.completed_at),
    skipped_at: local(task.skipped_at),
    created_at: localTime(new Date(task.created_at), context.zone),
  };
}

/** `in 15 minutes, on Monday, 2 March 2026 at 10:15 (Europe/Berlin)` */
function momentInWords(instant: Date, { zone, now }: TimeContext): string {
  return `${distanceInWords(now, instant)}, on ${timeInWords(instant, zone)} (${zone})`;
}

function nextNudgeInWords(task: ApiTask, context: TimeContext): string {
  if (task.status !== 'open') return `No more nudges: the task is ${task.status}.`;
  if (!task.accepted_by_owner) return 'No nudge before the user accepts this request.';
  if (task.next_fire_at !== null) return `Next nudge ${momentInWords(new Date(task.next_fire_at), context)}.`;
  if (task.due_at === null) return 'No nudge is planned: the task has no due date. snooze_task sets a moment for one.';
  return 'No more nudges: the task notifies once, and has.';
}

function dueInWords({ due_at, has_time }: ApiTask, { zone }: TimeContext): string {
  if (due_at === null) return 'no due date';
  const instant = new Date(due_at);
  return `due ${has_time ? timeInWords(instant, zone) : dateInWords(allDayDate(instant, zone))}`;
}

/** One line. The title is quoted, because it is user data that could read like an instruction. */
export const summarizeTask = (task: ApiTask, context: TimeContext): string =>
  `${JSON.stringify(task.title)} (id ${task.id}): ${task.status}, ${dueInWords(task, context)}, stage ` +
  `${task.escalation_stage} after ${task.nudge_count} nudge${task.nudge_count === 1 ? '' : 's'}. ${nextNudgeInWords(task, context)}`;

export const taskAnswerSchema = Type.Object({ ...timeFieldSchemas, task: taskViewSchema });

/** The answer of a tool that changes one task. */
export const taskAnswer = (prefix: string, task: ApiTask, context: TimeContext) => ({
  text: `${prefix}${summarizeTask(task, context)}`,
  structured: { ...timeFields(context), task: toTaskView(task, context) },
});
