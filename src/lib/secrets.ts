/**
 * Tokens with 256 random bits. They are stored as a plain SHA-256 hash: they cannot be guessed, and they stay
 * valid when the encryption key changes. Short codes and sealed values are in `keys/vault.ts`.
 */
import { createHash, hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** The prefix shows people and secret scanners what kind of token it is. */
export const newToken = (prefix: string): string => prefix + randomBytes(32).toString('base64url');

export const hashToken = (token: string): string => hash('sha256', token, 'base64url');

/**
 * Undefined for a text that the encoder does not produce. Node reads several texts as the same bytes; with one spelling,
 * nobody gets another counter for the same token, or uses a token twice that works once.
 */
export function decodeBase64url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}

/** Compares in constant time. */
export function isEqualSecret(a: string, b: string): boolean {
  return timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest());
}
