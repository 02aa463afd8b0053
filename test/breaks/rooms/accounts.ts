import type { RoomBreak } from '../room-break.ts';

const PAUSE = 'src/accounts/pause.ts';
const SETTINGS = 'src/accounts/settings.service.ts';

export const ACCOUNTS: readonly RoomBreak[] = [
  {
    name: 'a planned pause shortens the one that runs',
    promise: 'where two pauses meet, the later end counts',
    file: PAUSE,
    piece: 'if (pause_until && pause_until >= planned.until) return settled;',
    replacement: '',
    by: ['accounts/pause'],
  },
  {
    name: 'a planned pause begins too early',
    promise: 'nothing is held before a planned pause begins',
    file: PAUSE,
    piece: 'if (!planned || planned.from > now) return stored;',
    replacement: 'if (!planned) return stored;',
    by: ['accounts/pause'],
  },
  {
    name: 'the welcome of an earlier pause is lost with the next one',
    promise: 'one card covers every pause that was not acknowledged',
    file: PAUSE,
    piece: 'opened : { ...opened, pause_from: now, ...coverUnseen(settled, now) };',
    replacement: 'opened : { ...opened, pause_from: now };',
    by: ['contract/account', 'accounts/pause'],
  },
  {
    name: 'acknowledging ends a pause that runs',
    promise: 'acknowledging a past pause never ends a running one',
    file: PAUSE,
    piece: 'return isPaused(settled, now) ? acknowledged : { ...acknowledged, pause_from: null, pause_until: null };',
    replacement: 'return { ...acknowledged, pause_from: null, pause_until: null };',
    by: ['contract/account', 'accounts/pause'],
  },
  {
    name: 'a pause that is opened again begins again',
    promise: 'a longer pause keeps its start',
    file: PAUSE,
    piece: 'return isPaused(settled, now) ? opened : {',
    replacement: 'return isPaused(settled, now) && !opened ? opened : {',
    by: ['contract/account', 'accounts/pause'],
  },
  {
    name: 'a second suspension moves the first moment',
    promise: 'an account is suspended since the first time',
    file: SETTINGS,
    piece: 'return { suspended_at: suspendedAt && (suspended_at ?? suspendedAt) };',
    replacement: 'return { suspended_at: suspendedAt };',
    by: ['contract/admin'],
  },
  {
    name: 'a plan that has ended goes on',
    promise: 'a plan ends when it was paid for',
    file: 'src/accounts/plan.ts',
    piece: 'plan_expires_at === null || plan_expires_at > now ?',
    replacement: 'plan_expires_at === null || plan_expires_at ?',
    by: ['accounts/plan'],
  },
  {
    name: 'the rest of a deleted account is seen by others',
    promise: 'nobody sees anything of an account once its deletion is answered',
    file: SETTINGS,
    piece: 'while ((await run())?.isDone === false) await nextTurn();',
    replacement: 'void [run, nextTurn];',
    by: ['scenario/follow-ups'],
  },
];
