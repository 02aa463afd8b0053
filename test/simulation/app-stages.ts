/** What a change of an app does to the task in the model, step by step. */
import { zoneOf } from './app-copies.ts';
import {
  type App,
  type AppChange,
  type Copy,
  type DoneChange,
  dueOfText,
  factsOf,
  factsOfTask,
  textAfter,
} from './apps.ts';
import { type Action, act, type Edit, edit, type ModelTask, type Result } from './model/task.ts';
import type { World } from './world.ts';

const MOST_SKIPPED = 20;

export type Stage = (task: ModelTask) => Result;

/** What each step of a change does to the task; the service stores one after the other, and each as a whole. */
export function stagesOf(world: World, app: App, copy: Copy, change: AppChange): Stage[] {
  const current = world.tasks.get(copy.taskId);
  if (!current) return [];
  const { edited, acted } = stagesIn(world);
  const isStale = isOld(app, copy, current);
  switch (change.kind) {
    case 'title':
      return [edited({ title: change.title })];
    case 'due':
      return current.isOpen && !isStale ? [edited({ due: change.due })] : [];
    case 'delete':
      return current.isOpen ? [acted({ name: 'drop', batch: 'of an app' })] : [];
    case 'reopen':
      return current.isOpen ? [] : [acted({ name: 'reopen' })];
    case 'done': {
      const next = dueOfText(textAfter(copy, change, zoneOf(world, app))) ?? 0;
      const done = current.isOpen && !isStale ? doneStages(world, current, change, next) : [];
      return change.title === undefined ? done : withEdit(edited({ title: change.title }), done);
    }
  }
}

/** What else was changed is stored together with the first step. */
function withEdit(edited: Stage, [first, ...more]: readonly Stage[]): Stage[] {
  return [first ? together(edited, first) : edited, ...more];
}

const together =
  (first: Stage, second: Stage): Stage =>
  (task) => {
    const between = first(task);
    return 'refusal' in between ? between : second(between.task);
  };

/** The app knew another occurrence, and nothing but its text says which. */
const isOld = ({ isStrict }: App, { text }: Copy, task: ModelTask): boolean =>
  !isStrict && isSeries(task) && factsOf(text).due !== factsOfTask(task).due;

const isSeries = ({ due, rule }: ModelTask): boolean => due !== null && rule !== null;

const stagesIn = (world: World) => ({
  edited:
    (change: Edit): Stage =>
    (task) =>
      edit(task, change, world.settingsOf(task), world.now),
  acted:
    (action: Action): Stage =>
    (task) =>
      act(task, action, 'owner', world.settingsOf(task), world.now),
});

/** `next` is where form A has gone on to. What is no series any more has a date alone. */
function doneStages(world: World, task: ModelTask, { form }: DoneChange, next: number): Stage[] {
  const { edited, acted } = stagesIn(world);
  const complete = acted({ name: 'complete' });
  switch (form) {
    case 'A':
      return isSeries(task) ? [complete, ...skips(next, acted({ name: 'skip' }))] : [edited({ due: next })];
    case 'B':
      return [complete];
    case 'C':
    case 'E':
      return isSeries(task) ? [complete] : [];
    case 'D':
      return [isSeries(task) ? together(edited({ rule: null }), complete) : complete];
  }
}

/** After form A, the occurrences before the one that the app has gone on to. */
const skips = (next: number, skip: Stage): Stage[] =>
  Array.from(
    { length: MOST_SKIPPED },
    (): Stage => (task) => {
      const key = factsOfTask(task).due;
      const due = key.includes('-') ? Date.parse(key) : Number(key) * 1_000;
      return task.isOpen && key !== '' && due < next ? skip(task) : { task };
    },
  );
