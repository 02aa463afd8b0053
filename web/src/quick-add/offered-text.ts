/** What the address of the add page offers, as one text for quick add. Pure. */

export interface Offered {
  readonly title?: string;
  readonly text?: string;
  readonly url?: string;
}

/** Longer than a task may be, so that quick add says that it is too long instead of cutting it silently. */
const MAX_LENGTH = 4_000;

/** The router has read "7" as a number and "[1]" as a list: a person means the text. */
const asText = (value: unknown): string =>
  (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).slice(0, MAX_LENGTH);

export function readOffered(search: Readonly<Record<string, unknown>>): Offered {
  const parts = ['title', 'text', 'url'].map((name) => [name, asText(search[name]).trim()]);
  return Object.fromEntries(parts.filter(([, text]) => text !== ''));
}

/** A page that is shared has a name and an address: the address goes to the notes. Many apps repeat one of them. */
export function offeredText({ title, text, url }: Offered): string {
  const [first = '', ...others] = [title, text, url].filter((part) => part !== undefined);
  const notes = others.filter(
    (part, index) => !first.includes(part) && !others.slice(0, index).some((one) => one.includes(part)),
  );
  return (notes.length === 0 ? first : `${first} // ${notes.join(' ').replaceAll(/\s+/g, ' ')}`).slice(0, MAX_LENGTH);
}
