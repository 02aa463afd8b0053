/** Deliberate breaks of what apps that sync by CalDAV are promised, at least one for each promise. */
import type { Break } from '../break.ts';

const PLANNED = 'src/caldav/planned-change.ts';
const READING = 'src/caldav/caldav-reading.service.ts';
const WRITING = 'src/caldav/caldav-writing.service.ts';
const TWICE = ['apps', 'one outcome per occurrence', 'answers', 'answers are true', 'statistics', 'sync'];

export const APP_BREAKS: readonly Break[] = [
  {
    name: 'an app may change a task that it has an old copy of',
    file: WRITING,
    piece: "tags.includes('*') || tags.includes(tagOfRow(row, view))",
    replacement: 'tags.length > 0',
    noticedBy: ['apps'],
  },
  {
    name: 'an old copy without a precondition takes back what was changed since',
    file: PLANNED,
    piece: 'isVerified || !base ? baseOf(keys) : base',
    replacement: 'isVerified || base ? baseOf(keys) : baseOf(keys)',
    noticedBy: ['apps', 'one outcome per occurrence'],
  },
  {
    name: 'a stale Done of an app moves the series again',
    file: PLANNED,
    piece: 'if (isStale) return NOT_DONE;',
    replacement: '',
    noticedBy: TWICE,
  },
  {
    name: 'two apps that say Done at once are not told apart',
    file: WRITING,
    piece: 'if (tag !== tagOfRow(row, view) || ',
    replacement: "if (tag === '' || ",
    noticedBy: TWICE,
  },
  {
    name: 'a sync token of an app skips changes',
    file: READING,
    piece: 'last.getTime() + 1));',
    replacement: 'last.getTime() + 1) + 600_000);',
    noticedBy: ['apps'],
  },
  {
    name: 'the mark of a list stays the same while the clock is behind',
    file: READING,
    piece: 'isFinal ? last : this.#clock.now()',
    replacement: 'isFinal ? last : last',
    noticedBy: ['apps'],
  },
  {
    name: 'Done in an app is stored as text alone',
    file: WRITING,
    piece: "...(action === 'complete' || action === 'drop' ? [",
    replacement: "...(action === 'drop' ? [",
    noticedBy: ['apps'],
  },
  {
    name: 'Done in an app leaves the nudges going',
    file: WRITING,
    piece: 'for (let skipped = 0; goOnTo',
    replacement:
      "if (task.status === 'done') await this.#parts.db.updateTable('tasks').set({ status: 'open', next_fire_at: this.#parts.clock.now() }).where('id', '=', task.id).execute();\n    for (let skipped = 0; goOnTo",
    noticedBy: ['never after the end', 'apps'],
  },
  {
    name: 'a task that an app opens again after days is at its address twice',
    file: WRITING,
    piece: 'await moveAside(trx, entry, true);',
    replacement: '',
    noticedBy: ['apps', 'no exceptions'],
  },
  {
    name: 'a task that comes done is stored before its text',
    file: 'src/caldav/finished-task.ts',
    piece: '    await alongside(trx, task);\n  });',
    replacement: '  });\n  await transact(db, (trx) => alongside(trx, task));',
    noticedBy: ['whole or not at all'],
    from: 615,
  },
];
