import { type TSchema, Type } from 'typebox';

/** In two branches: many clients turn a tool's schema into a dialect where a `type` is one word. */
export const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
