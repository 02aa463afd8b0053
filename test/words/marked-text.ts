/** A text of a test in which the words in question stand in brackets: "watch [Friday] Night Lights". */
import assert from 'node:assert/strict';

export function split(marked: string): [written: string, start: number, end: number] {
  const [before = '', words = '', after = ''] = marked.split(/[[\]]/);
  return [before + words + after, before.length, before.length + words.length];
}

/** The texts of a table, by the answer that each of them must get. */
export function answersAre(
  answerOf: (text: string) => string | undefined,
  table: Readonly<Record<string, readonly string[]>>,
): void {
  const wrong = Object.entries(table).flatMap(([wanted, texts]) =>
    texts.map((text) => [text, answerOf(text) ?? 'none', wanted]).filter(([, answer]) => answer !== wanted),
  );
  assert.deepEqual(wrong, []);
}
