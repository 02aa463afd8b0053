import { hash } from 'node:crypto';

/** Tells texts apart; not for secrets. `length` is in characters, each of which has 6 bits. */
export const shortHash = (text: string, length: number): string => hash('sha256', text, 'base64url').slice(0, length);
