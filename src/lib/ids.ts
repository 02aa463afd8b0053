import { randomUUIDv7 } from 'node:crypto';

/** A new id. Version 7 begins with the time, so that new rows land next to each other in an index. */
export const newId = (): string => randomUUIDv7();

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const isUuid = (text: string): boolean => UUID.test(text);
