import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findTimeZone } from '../lib/time-zone.ts';
import { zoneOfWindows } from './windows-zones.ts';

test('a name of Windows leads to a zone that exists, in any case, and another name to none', () => {
  for (const name of ['W. Europe Standard Time', 'Eastern Standard Time', 'AUS Central W. Standard Time', 'UTC'])
    assert.ok(findTimeZone(zoneOfWindows(name.toUpperCase()) ?? ''), name);
  for (const name of ['', 'constructor', 'Europe/Berlin']) assert.equal(zoneOfWindows(name), undefined);
});
