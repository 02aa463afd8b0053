/** Deliberate breaks of what held messages promise, at least one for each promise. */
import type { Break } from '../break.ts';

const PLAN = 'src/understudies/plan-understudies.ts';
const LOOKS = 'src/understudies/understudies.ts';
const HOLDERS = 'src/understudies/holders.ts';
const SOUNDED = 'src/understudies/sounded.ts';

export const UNDERSTUDY_BREAKS: readonly Break[] = [
  {
    name: 'what is held sounds an hour too late',
    file: PLAN,
    piece: 'const GRACE_MS = 10 * MINUTE_MS;',
    replacement: 'const GRACE_MS = 70 * MINUTE_MS;',
    noticedBy: ['announced in an outage'],
  },
  {
    name: 'what is held stays when its nudge has come',
    file: PLAN,
    piece: 'if (isSame(before, one)) continue;',
    replacement: 'continue;',
    noticedBy: ['silent while the service lives', 'announced in an outage', 'hidden titles', 'no understudy in a hold'],
  },
  {
    name: 'the message that the service is gone is not moved on in time',
    file: PLAN,
    piece: 'new Date(armedMs + longestMs - rearmMs)',
    replacement: 'new Date(now.getTime() + GRACE_MS + 0 * armedMs)',
    noticedBy: ['silent while the service lives'],
  },
  {
    name: 'held messages use up those of the nudges',
    file: 'src/understudies/day-budgets.ts',
    piece: 'const ENOUGH_FOR_ONE = 0.25;',
    replacement: 'const ENOUGH_FOR_ONE = -9;',
    noticedBy: ['budget of the day'],
  },
  {
    name: 'what is dealt with stays held',
    file: PLAN,
    piece: 'soundsAt }) => !kept.has(id) && soundsAt !== null)',
    replacement: 'soundsAt }) => !kept.has(id) && soundsAt === undefined)',
    noticedBy: ['taken back', 'silent while the service lives'],
  },
  {
    name: 'what is held outlives a deleted account',
    file: LOOKS,
    piece: 'reconcile(held.map(toHeld), wanted,',
    replacement: 'reconcile(isGone ? [] : held.map(toHeld), wanted,',
    noticedBy: ['taken back', 'no understudy in a hold', 'silent while the service lives'],
  },
  {
    name: 'what may be held is forgotten instead of taken back',
    file: LOOKS,
    piece: 'if (one.version === 1 && one.stored_version === 0 && one.attempts === 0) await',
    replacement: 'if (one.version >= 1) await',
    noticedBy: ['taken back', 'silent while the service lives'],
  },
  {
    name: 'a held message shows a hidden title',
    file: 'src/understudies/understudy-text.ts',
    piece: 'isPrivate ? nudge.privateTitles.due(codeOf(only.id)) : only.title',
    replacement: 'only.title',
    noticedBy: ['hidden titles'],
  },
  {
    name: 'what is held sounds in quiet hours',
    file: PLAN,
    piece: 'return releaseFrom(new Date(wantedMs), mustNotMiss, settings).at;',
    replacement: 'return releaseFrom(new Date(wantedMs), mustNotMiss || wantedMs > 0, settings).at;',
    noticedBy: ['no understudy in a hold'],
  },
  {
    name: 'what is held is put off at each change',
    file: PLAN,
    piece: 'const POSTPONE_EVERY_MS = 5 * MINUTE_MS;',
    replacement: 'const POSTPONE_EVERY_MS = 0 * MINUTE_MS;',
    noticedBy: ['putting off'],
  },
  {
    name: 'messages are held on the machine of the service',
    file: HOLDERS,
    piece: 'address !== null && gateways[provider]?.holds?.isElsewhere(server)',
    replacement: 'address !== null && gateways[provider]?.holds !== undefined',
    noticedBy: ['held elsewhere'],
  },
  {
    name: 'the timeline does not say what a provider has sounded',
    file: SOUNDED,
    piece: '(named ?? []).map(',
    replacement: '(named ?? []).slice(9).map(',
    noticedBy: ['understudies in the timeline'],
  },
  {
    name: 'the timeline says twice what a provider has sounded',
    file: SOUNDED,
    piece: '(named ?? []).map(',
    replacement: '[...(named ?? []), ...(named ?? [])].map(',
    noticedBy: ['understudies in the timeline'],
  },
];
