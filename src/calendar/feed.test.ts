import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FeedView, feedTag } from './feed.ts';

test('the tag of a feed changes with everything that its text depends on, and with nothing else', () => {
  const view: FeedView = { form: 'vevent', zone: 'Europe/Berlin', now: new Date('2026-03-02T09:00:00Z') };
  const at = new Date('2026-03-01T09:00:00Z');
  const task = { id: 'one', changed_at: at, updated_at: at };
  const tag = feedTag(view, [task]);
  assert.equal(feedTag({ ...view, now: new Date('2026-12-31T09:00:00Z') }, [task]), tag);
  const later = new Date('2026-03-02T09:00:00Z');
  const others = [
    feedTag({ ...view, form: 'vtodo' }, [task]),
    feedTag({ ...view, zone: 'UTC' }, [task]),
    feedTag({ ...view, now: new Date('2027-01-01T09:00:00Z') }, [task]),
    feedTag(view, []),
    feedTag(view, [{ ...task, changed_at: later }]),
    feedTag(view, [{ ...task, updated_at: later }]),
  ];
  assert.equal(new Set([tag, ...others]).size, 7);
});
