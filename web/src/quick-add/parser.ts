/** The parser and what it shows are larger than the rest of this screen, so they load when the field gets the focus. */
import type { ParseOptions } from '../../../src/words/parse-task.ts';
import { offlineProblem, problemText } from '../api/problem.ts';
import { showToast } from '../data/toast.ts';
import type { Edits } from './edited-task.ts';

export async function loadParser() {
  const [
    { parseTask, MAX_TEXT_LENGTH },
    { applyEdits, isRule, movedAhead },
    { linesOf, oneWithNotes, MAX_NOTES },
    { Understood, PastQuestion },
    { LinesQuestion },
    { screenStrings },
  ] = await Promise.all([
    import('../../../src/words/parse-task.ts'),
    import('./edited-task.ts'),
    import('./lines.ts'),
    import('./understood.tsx'),
    import('./lines-question.tsx'),
    import('../screen-strings.ts'),
  ]);
  const parse = (text: string, options: ParseOptions, edits: Edits) =>
    applyEdits(parseTask(text, options), edits, options);
  const words = screenStrings.quickAdd;
  const tooLong = (texts: readonly string[]): string | undefined => {
    const longest = Math.max(0, ...texts.map(({ length }) => length));
    return longest > MAX_TEXT_LENGTH ? words.tooLong(longest, MAX_TEXT_LENGTH) : undefined;
  };
  const canParse = (text: string) => linesOf(text).length < 2 && !tooLong([text]);
  return {
    parse,
    canParse,
    tooLong,
    isRule,
    movedAhead,
    linesOf,
    oneWithNotes,
    MAX_NOTES,
    Understood,
    PastQuestion,
    LinesQuestion,
    words,
  };
}

export type Parser = Awaited<ReturnType<typeof loadParser>>;

let isLoading = false;

/** Undefined while it loads already: whoever presses Enter again would add the same words twice. Says if it fails. */
export async function loadOnce(load = loadParser): Promise<Parser | undefined> {
  if (isLoading) return undefined;
  isLoading = true;
  try {
    return await load();
  } catch {
    showToast(problemText(offlineProblem()));
    return undefined;
  } finally {
    isLoading = false;
  }
}
