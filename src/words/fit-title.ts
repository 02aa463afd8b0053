/** A title holds 200 characters. What does not fit goes on in the notes. */
const MAX_TITLE_LENGTH = 200;
const MAX_NOTES_LENGTH = 10_000;
/** A title shorter than this would say too little; a word is cut instead. */
const SHORTEST_CUT = 120;

/** Counted as the service counts: a character beyond U+FFFF is one. */
const lengthOf = (text: string): number => [...text].length;

/** The title, and what did not fit. It is cut after a sentence or between words. */
export function fitTitle(words: string): { readonly title: string; readonly rest: string } {
  if (lengthOf(words) <= MAX_TITLE_LENGTH) return { title: words, rest: '' };
  const head = [...words].slice(0, MAX_TITLE_LENGTH - 1).join('');
  const sentence = /^.*[.!?](?=\s)/s.exec(head)?.[0] ?? '';
  if (lengthOf(sentence) >= SHORTEST_CUT) return { title: sentence, rest: words.slice(sentence.length).trim() };
  const space = head.lastIndexOf(' ');
  const end = space >= SHORTEST_CUT ? space : head.length;
  return { title: `${words.slice(0, end).trimEnd()}…`, rest: `…${words.slice(end).trimStart()}` };
}

export const joinNotes = (...parts: readonly string[]): string | null => {
  const notes = parts.filter((part) => part !== '').join('\n\n');
  return notes === '' ? null : [...notes].slice(0, MAX_NOTES_LENGTH).join('');
};
