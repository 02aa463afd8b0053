/**
 * Half-typed text, so that neither a navigation nor a crash of the tab loses it. It is stored with every change, before
 * the browser can leave the page, and cleared by signing out. Each draft has a key of its own: a change writes no other
 * draft, and two tabs do not overwrite each other's. Only the newest are kept.
 */
const PREFIX = 'crescendo-draft ';
const MAX_DRAFTS = 20;
const MAX_LENGTH = 50_000;
const MAX_AGE_MS = 14 * 86_400_000;

interface Draft {
  readonly value: unknown;
  readonly at: number;
}

const keyOf = (userId: string, name: string): string => `${PREFIX}${userId} ${name}`;

export function readDraft<T>(userId: string, name: string): T | undefined {
  const draft = read(keyOf(userId, name));
  return draft && Date.now() - draft.at < MAX_AGE_MS ? (draft.value as T) : undefined;
}

/** Undefined forgets it. */
export function keepDraft(userId: string, name: string, value: unknown): void {
  if (userId === '') return;
  const key = keyOf(userId, name);
  const text = value === undefined ? undefined : JSON.stringify({ value, at: Date.now() } satisfies Draft);
  if (text === undefined || text.length > MAX_LENGTH) {
    localStorage.removeItem(key);
    return;
  }
  if (localStorage.getItem(key) === null) makeRoom(userId);
  try {
    localStorage.setItem(key, text);
  } catch {
    // A browser whose storage is full still lets the person type.
  }
}

export function forgetDrafts(): void {
  for (const key of listKeys()) localStorage.removeItem(key);
}

const listKeys = (): string[] => Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));

/** Another account may have used this browser before. */
function makeRoom(userId: string): void {
  const own = listKeys().filter((key) => key.startsWith(keyOf(userId, '')));
  const newest = own.sort((a, b) => (read(b)?.at ?? 0) - (read(a)?.at ?? 0)).slice(0, MAX_DRAFTS - 1);
  for (const key of listKeys()) if (!newest.includes(key)) localStorage.removeItem(key);
}

function read(key: string): Draft | undefined {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}
