import type { RoomBreak } from '../room-break.ts';

const STREAMS = 'src/live/live-streams.ts';
const STORE = 'src/live/live.store.ts';
const by = ['contract/live', 'src/live'];
const units = ['src/live'];

export const LIVE: readonly RoomBreak[] = [
  {
    name: 'a stream goes on after its session ended',
    promise: 'a session that was signed out learns nothing more',
    file: STREAMS,
    piece: 'if (!heard) this.#end(stream);',
    replacement: 'if (!heard) return;',
    by,
  },
  {
    name: 'a member who left a space still hears of it',
    promise: 'who left a space learns nothing of it',
    file: STREAMS,
    piece: '      streams?.delete(stream);\n',
    replacement: '',
    by,
  },
  {
    name: 'the streams of an account are not bounded',
    promise: 'an account cannot take the streams of others',
    file: STREAMS,
    piece: 'for (const oldest of [...own].slice(0, -MOST_PER_ACCOUNT)) this.#end(oldest);',
    replacement: 'void own;',
    by,
  },
  {
    name: 'a suspended account goes on hearing',
    promise: 'a suspended account has no access',
    file: STORE,
    piece: "    .where('users.suspended_at', 'is', null)\n",
    replacement: '',
    by,
  },
  {
    name: 'who joins a space is not told to look',
    promise: 'an open app shows a space as soon as its person has joined it',
    file: STREAMS,
    piece: '      stream.sink.write(CHANGED);\n    }\n',
    replacement: '    }\n',
    by,
  },
  {
    name: 'a bearer token opens a stream',
    promise: 'only the web app listens',
    file: 'src/live/live.routes.ts',
    piece: 'if (!usesAppSession(request))',
    replacement: 'if (usesAppSession(request) === undefined)',
    by: ['contract/live'],
  },
  {
    name: 'what was collected is lost when the process stops',
    promise: 'a change is told by every process that made it',
    file: 'src/live/announcements.ts',
    piece: '    await this.#sending;\n    await this.#send();\n',
    replacement: '    await this.#sending;\n',
    by: units,
  },
  {
    name: 'a process that stops waits for its streams',
    promise: 'a service stops within its time',
    file: 'src/live/live-streams.ts',
    piece: '    for (const stream of this.#streams) this.#end(stream);\n',
    replacement: '',
    by: units,
  },
  {
    name: 'a change that comes while another is read is lost',
    promise: 'a stream loses a space within moments',
    file: 'src/live/live-streams.ts',
    piece: '      while (this.#unread.size > 0) {\n',
    replacement: '      if (this.#unread.size > 0) {\n',
    by: units,
  },
  {
    name: 'only the first changes are told to other processes',
    promise: 'an app hears of every change',
    file: 'src/live/announcements.ts',
    piece: 'for (let start = 0; start < ids.length; start += IDS_PER_PAYLOAD) {',
    replacement: 'for (let start = 0; start < Math.min(1, ids.length); start += IDS_PER_PAYLOAD) {',
    by: units,
  },
  {
    name: 'a browser that has gone is noted again',
    promise: 'a process forgets the browsers that have gone',
    file: 'src/live/live-streams.ts',
    piece: '    if (!this.#streams.has(stream)) return;\n',
    replacement: '',
    by: ['src/live'],
  },
  {
    name: 'what changes while others are being told waits for the next change',
    promise: 'an app hears of every change',
    file: 'src/live/announcements.ts',
    piece: '        this.#timer = undefined;\n        this.#plan();',
    replacement: '        this.#timer = undefined;',
    by: ['src/live'],
  },
];
