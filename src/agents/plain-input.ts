/**
 * Reads arguments that a model wrote in another type than the schema asks for, if they can mean only one thing: a
 * number, a yes or a list as text, another case of a word, an id in quotes, a task that is only its title. Everything
 * else stays as it is, and the validator refuses it.
 */
import type { TObject, TSchema } from 'typebox';
import { findExcess } from '../http/json-bounds.ts';

/** The parts of a schema that this file reads. */
interface Described {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly items?: TSchema;
  readonly minLength?: number;
}

/**
 * Leaves out arguments that are null, because many models fill in what they leave out. An empty text is left out too,
 * unless `keepsEmpty`: in a change it may mean to remove something.
 */
export function readPlainly(schema: TObject, input: unknown, keepsEmpty: boolean): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input;
  const required: readonly string[] = (schema as { required?: string[] }).required ?? [];
  const isGiven = ([name, value]: [string, unknown]) =>
    value !== null && (value !== '' || keepsEmpty || required.includes(name));
  const given = Object.entries(input).filter(isGiven);
  return Object.fromEntries(given.map(([name, value]) => [name, readOne(schema.properties[name], value)]));
}

function readOne(schema: TSchema | undefined, value: unknown): unknown {
  const described: Described = { ...schema };
  if (
    described.type === 'array' &&
    (described.items as Described | undefined)?.type === 'object' &&
    Array.isArray(value)
  )
    return value.map((item) => (typeof item === 'string' ? (parseJson(item) ?? { title: item }) : item));
  if (described.type === 'array') return listOf(value).map((item) => readOne(described.items, item));
  if (Array.isArray(value) && value.length === 1) return readOne(schema, value[0]);
  return typeof value === 'string' ? readText(described, value) : value;
}

const WHOLE_NUMBER = /^-?\d{1,9}$/;
const YES_OR_NO = new Map([
  ['true', true],
  ['yes', true],
  ['false', false],
  ['no', false],
]);

function readText({ type, format, enum: words, minLength = 0 }: Described, value: string): unknown {
  const text = value.trim();
  if (words) return words.find((word) => word === text.toLowerCase().replaceAll(/[\s-]+/g, '_')) ?? value;
  if (type === 'integer') return WHOLE_NUMBER.test(text) ? Number(text) : value;
  if (type === 'boolean') return YES_OR_NO.get(text.toLowerCase()) ?? value;
  if (format === 'uuid') return text.replace(/^["'`<({[]+/, '').replace(/["'`>)}\]]+$/, '');
  // Spaces alone are no title.
  return minLength > 0 ? text : value;
}

/** Twice the length of the most task ids that a call may name. */
const LONGEST_LIST = 4_000;

/** A list as JSON, as words with commas, or a single item. */
function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'string') return [value];
  const parsed = parseJson(value);
  if (parsed !== undefined) return Array.isArray(parsed) ? parsed : [parsed];
  return value.length > LONGEST_LIST ? [value] : value.split(/[,;\n]+/).map((item) => item.trim());
}

const MOST_IN_TEXT = { values: 2_000, fields: 500 };

/** The value of a JSON array or object that was sent as text. */
export function parseJson(text: string): unknown {
  if (!/^\s*[[{]/.test(text) || findExcess(Buffer.from(text), MOST_IN_TEXT)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
