/** The frame of every JSON answer: `{ok, data, error}`. */
import { type TSchema, Type } from 'typebox';

export const ok = <T>(data: T) => ({ ok: true, data, error: null });

export const failure = (code: string, sentence: string) => ({ ok: false, data: null, error: `${code}: ${sentence}` });

/** The schema of a successful answer whose `data` is the given one. */
export const envelopeOf = <T extends TSchema>(data: T) =>
  Type.Object({ ok: Type.Boolean({ default: true }), data, error: Type.Null() });
