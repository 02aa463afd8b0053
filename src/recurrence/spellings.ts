/** Looks up the fields of a recurrence object under every spelling. The object is stored and returned as sent. */
import { foldKey, frequencyOf, isAmbiguousKey, KEY_SPELLINGS, LONGEST_WORD } from '../words/rule-keys.ts';
import { type Frequency, RuleError } from './rule.ts';
import { type Field, isPresent } from './rule-fields.ts';

export type ObjectKey = keyof typeof KEY_SPELLINGS;

/** The fields of a recurrence object, in any spelling. */
export class ObjectFields {
  readonly #sent = new Map<string, Field[]>();
  #hasLongKey = false;

  constructor(value: Readonly<Record<string, unknown>>) {
    for (const [key, part] of Object.entries(value)) {
      if (key.length > LONGEST_WORD) {
        this.#hasLongKey = true;
        continue;
      }
      const spelling = foldKey(key);
      this.#sent.set(spelling, [...(this.#sent.get(spelling) ?? []), { key, name: key, value: part }]);
    }
  }

  /** Every field that was sent for the key; more than one if it was spelled in several ways. */
  get(key: ObjectKey): readonly Field[] {
    const fields = KEY_SPELLINGS[key].flatMap((spelling) => this.#sent.get(spelling) ?? []).filter(isPresent);
    // {every: "week"} names the frequency, {every: 2} the interval.
    return key === 'interval' ? fields.filter(({ value }) => frequencyOf(value) === undefined) : fields;
  }

  /** Whether anything was sent beside these keys. */
  hasOthersThan(keys = Object.keys(KEY_SPELLINGS) as ObjectKey[]): boolean {
    const known = new Set<string>(keys.flatMap((key) => KEY_SPELLINGS[key]));
    return this.#hasLongKey || [...this.#sent].some(([key, fields]) => !known.has(key) && fields.some(isPresent));
  }

  /** Undefined if the object names no frequency, or one that we do not know. */
  frequency(): Frequency | undefined {
    const fields = this.get('freq').filter(
      ({ key, value }) => frequencyOf(value) !== undefined || !isAmbiguousKey(key),
    );
    return fields.every(({ value }) => frequencyOf(value) !== undefined)
      ? readAgreed(fields, ({ value }) => frequencyOf(value))
      : undefined;
  }
}

/** Reads a part that may have been sent under several spellings, which must all mean the same. */
export function readAgreed<T>(fields: readonly Field[], read: (field: Field) => T): T {
  const [first = ABSENT, ...others] = fields;
  const value = read(first);
  for (const other of others) {
    if (comparable(read(other)) === comparable(value)) continue;
    throw new RuleError(other.key, `${other.name} and ${first.name} contradict each other.`);
  }
  return value;
}

const ABSENT: Field = { key: '', name: '', value: undefined };

/** The order of a list has no meaning. */
const comparable = (value: unknown): string =>
  JSON.stringify(Array.isArray(value) ? value.map((entry) => JSON.stringify(entry)).sort() : value) ?? '';
