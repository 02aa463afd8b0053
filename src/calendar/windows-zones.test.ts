import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findTimeZone } from '../lib/time-zone.ts';
import { findWindowsZone } from './windows-zones.ts';

test('a Windows name, in any case, maps to an existing zone, and any other name to none', () => {
  for (const name of ['W. Europe Standard Time', 'Eastern Standard Time', 'AUS Central W. Standard Time', 'UTC'])
    assert.ok(findTimeZone(findWindowsZone(name.toUpperCase()) ?? ''), name);
  for (const name of ['', 'constructor', 'Europe/Berlin']) assert.equal(findWindowsZone(name), undefined);
});
