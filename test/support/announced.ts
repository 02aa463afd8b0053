import assert from 'node:assert/strict';
import { DirectDatabase } from '../../src/db/direct-executor.ts';
import type { TestApp } from './test-app.ts';

/** The ids of the people and spaces that are announced while this is done. */
export async function announcedBy({ db }: TestApp, work: () => Promise<unknown>): Promise<ReadonlySet<string>> {
  const told = new Set<string>();
  assert.ok(db instanceof DirectDatabase);
  const { announcer } = db;
  db.announcer = {
    announce: (ids) => {
      for (const id of ids) told.add(id);
    },
  };
  await work().finally(() => {
    db.announcer = announcer;
  });
  return told;
}
