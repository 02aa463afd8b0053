/**
 * The short code by which a message without a title names its task, so that two of them can be told apart. The app shows it
 * beside the title. It is keyed: neither the title nor the id of a task can be found from it, nor it from the id.
 */
import type { Vault } from '../keys/vault.ts';

/** No vowels, so that no code is a word, and no characters that look alike. */
const CHARACTERS = '23456789BCDFGHJKMNPQRTVWXZ';
const LENGTH = 4;

export function taskCode(vault: Pick<Vault, 'hash'>, taskId: string): string {
  const bytes = Buffer.from(vault.hash('task code', taskId), 'base64url');
  // 16 bits for each character, so that all are about equally frequent.
  const at = (index: number) => CHARACTERS[bytes.readUInt16BE(2 * index) % CHARACTERS.length];
  return `#${Array.from({ length: LENGTH }, (_, index) => at(index)).join('')}`;
}
