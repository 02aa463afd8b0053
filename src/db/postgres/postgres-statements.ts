/**
 * The prepared statements of one connection to PostgreSQL, least recently used first. PostgreSQL parses, plans and
 * describes a prepared statement once, and its rows are decoded by columns that are known.
 *
 * A name is a hash of the text: behind a pooler that shares sessions, no name can stand for another statement.
 */
import { createHash } from 'node:crypto';
import type { FieldDef } from 'pg';
import { parserOf } from './postgres-values.ts';

/** Several times the number that requests and the engine use often. Each connection keeps a plan for each statement. */
const MAX_PREPARED = 100;
const MAX_SEEN = 500;
/** Longer statements contain lists of values, and hardly two lists have the same length. */
const LONGEST_TEXT = 4_000;

export type Decode = (values: readonly (string | null)[]) => Record<string, unknown>;

const decodes = new Map<string, Decode>();
const MAX_DECODES = 1_000;

/** All connections share the function: behind a pooler that shares sessions, each statement is described anew. */
export function decodeOf(fields: readonly FieldDef[]): Decode {
  const key = JSON.stringify(fields.map(({ name, dataTypeID }) => [name, dataTypeID]));
  const known = decodes.get(key) ?? compileDecode(fields);
  if (decodes.size < MAX_DECODES) decodes.set(key, known);
  return known;
}

/** Compiles a function with an object literal, because V8 knows the shape of a literal. SQLite's rows use one too. */
function compileDecode(fields: readonly FieldDef[]): Decode {
  const parsers = fields.map(({ dataTypeID }) => parserOf(dataTypeID));
  const decoded = fields.map(({ name }, index) => {
    const value = `values[${index}]`;
    return `${JSON.stringify(name)}: ${value} === null ? null : parsers[${index}](${value})`;
  });
  return new Function('parsers', `return (values) => ({ ${decoded.join(', ')} });`)(parsers);
}

export interface Prepared {
  readonly name: string;
  readonly decode: Decode | undefined;
}

export class PreparedStatements {
  readonly #prepared = new Map<string, Prepared>();
  readonly #seen = new Set<string>();
  #evicted: string[] = [];

  find(text: string): Prepared | undefined {
    const found = this.#prepared.get(text);
    if (!found) return undefined;
    this.#prepared.delete(text);
    this.#prepared.set(text, found);
    return found;
  }

  /** The name to prepare the statement under, or an empty one: the first time, nothing shows that its text repeats. */
  nameFor(text: string): string {
    if (text.length > LONGEST_TEXT) return '';
    if (this.#seen.delete(text)) return createHash('sha256').update(text).digest('base64url');
    this.#seen.add(text);
    if (this.#seen.size > MAX_SEEN) this.#seen.delete(firstOf(this.#seen.keys()));
    return '';
  }

  /** Only after the server has run it: a statement that failed may not have been prepared. */
  add(text: string, prepared: Prepared): void {
    this.#prepared.set(text, prepared);
    if (this.#prepared.size > MAX_PREPARED) this.#evict(firstOf(this.#prepared.keys()));
  }

  /** After this, every statement is prepared anew. */
  clear(): void {
    for (const text of [...this.#prepared.keys()]) this.#evict(text);
  }

  /** The names that the server can forget. */
  takeEvicted(): readonly string[] {
    const evicted = this.#evicted;
    if (evicted.length > 0) this.#evicted = [];
    return evicted;
  }

  #evict(text: string): void {
    const { name } = this.#prepared.get(text) ?? {};
    if (name !== undefined) this.#evicted.push(name);
    this.#prepared.delete(text);
  }
}

const firstOf = (keys: Iterator<string>): string => keys.next().value ?? '';
