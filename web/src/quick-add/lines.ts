/** Several lines of text as several tasks, or as one with notes. Pure. */
import { joinNotes } from '../../../src/words/fit-title.ts';
import { type ParsedTask, type ParseOptions, parseTask } from '../../../src/words/parse-task.ts';

/** More lines than this are not added at once. */
export const MAX_LINES = 100;
/** What the notes of a task hold. */
export const MAX_NOTES = 10_000;

const BULLET = /^(?:[-*•–]\s+(?:\[[ x]?\]\s*)?|\[[ x]?\]\s*)/i;
const NUMBERED = /^\d{1,3}[.)]\s+/;

/** The lines that say something, without the marks of a list. */
export function linesOf(text: string): string[] {
  const lines = text
    .split('\n')
    .map((line) => line.trim().replace(BULLET, ''))
    .filter((line) => line !== '');
  const isNumbered = lines.length > 1 && lines.every((line) => NUMBERED.test(line));
  return isNumbered ? lines.map((line) => line.replace(NUMBERED, '')) : lines;
}

/** The first line is the task, and the rest its notes. */
export function oneWithNotes(text: string, options: ParseOptions): ParsedTask {
  const [first = '', ...rest] = text.trim().split('\n');
  const task = parseTask(first.trim(), options);
  return { ...task, notes: joinNotes(task.notes ?? '', rest.join('\n').trim()) };
}
