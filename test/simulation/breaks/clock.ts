/** Deliberate breaks of what holds while clocks differ: those of tasks and of real time, or of two processes. */
import type { Break } from '../break.ts';

const OUTBOX = 'src/deliveries/outbox.ts';
const DISPATCH = 'src/engine/provider-dispatch.ts';
const DELIVERIES = 'src/engine/nudge-deliveries.ts';
const SWEEP = 'src/engine/sweep.ts';
const SENDER = 'src/understudies/understudy-sender.ts';

export const CLOCK_BREAKS: readonly Break[] = [
  {
    name: 'a lease is counted by the clock of tasks',
    file: SWEEP,
    piece: 'wallNow: wallClock.now(), leaseMs',
    replacement: 'wallNow: wallClock && now, leaseMs',
    noticedBy: ['no duplicates', 'arrival', 'fallback'],
  },
  {
    name: 'a retry waits by the clock of tasks',
    file: DISPATCH,
    piece: 'const next_attempt_at = new Date(wallClock.now().getTime() + (retryInMs ?? 0));',
    replacement:
      'const next_attempt_at = new Date((wallClock && this.#parts.clock.now().getTime()) + (retryInMs ?? 0));',
    noticedBy: ['no exceptions', 'no duplicates', 'arrival', 'fallback', 'retraction', 'messages', 'deliveries'],
  },
  {
    name: 'the holds of a retry are looked up by real time',
    file: OUTBOX,
    piece: '{ clock, clockSpeed = 1 }: OutboxParts,',
    replacement: '{ wallClock: clock, clockSpeed = 1 }: OutboxParts,',
    noticedBy: ['never in a hold', 'arrival', 'fallback', 'stand-ins'],
  },
  {
    name: 'by a clock that runs faster, a held push waits for as long as by one that does not',
    file: OUTBOX,
    piece: '(endsAt.getTime() - now.getTime()) / clockSpeed);',
    replacement: 'endsAt.getTime() - now.getTime());',
    also: {
      piece: '(now.getTime() - created_at.getTime()) / clockSpeed;',
      replacement: 'now.getTime() - created_at.getTime();',
    },
    from: 2_662_866,
    noticedBy: ['arrival', 'fallback', 'stand-ins'],
  },
  {
    name: 'a nudge falls by the clock of tasks',
    file: DELIVERIES,
    piece: 'new Date(this.#wallNow.getTime() + waitMs)',
    replacement: 'new Date(this.#now.getTime() + waitMs)',
    noticedBy: ['fallback'],
  },
  {
    name: 'by a clock that runs faster, a nudge falls as late as by one that does not',
    file: DELIVERIES,
    piece: '- this.#now.getTime()) / this.#clockSpeed)',
    replacement: '- this.#now.getTime()))',
    noticedBy: ['fallback'],
  },
  {
    name: 'what is held sounds by real time',
    file: SENDER,
    piece: 'const { clock, clockSpeed } = this.#parts;\n    const restMs',
    replacement: 'const { wallClock: clock, clockSpeed } = this.#parts;\n    const restMs',
    noticedBy: ['silent while the service lives', 'announced in an outage', 'no understudy in a hold', 'putting off'],
  },
  {
    name: 'by a clock that runs faster, what is held sounds as late as by one that does not',
    file: SENDER,
    piece: '- clock.now().getTime()) / clockSpeed;',
    replacement: '- clock.now().getTime());',
    noticedBy: ['announced in an outage', 'no understudy in a hold', 'silent while the service lives'],
  },
  {
    name: 'who settled a task is forgotten by real time',
    file: 'src/engine/housekeeping.ts',
    piece: 'deleteSettledStandIns(db, new Date(taskNow.getTime()',
    replacement: 'deleteSettledStandIns(db, new Date((taskNow && _now).getTime()',
    from: 2_661_718,
    noticedBy: ['stand-ins'],
  },
  {
    name: 'what an API starts in the future is silent until then, if it follows the clock after the engine',
    file: 'src/engine/set-back-clock.ts',
    piece: 'now.getTime() >= this.#againAtMs',
    replacement: 'now.getTime() >= 2 * this.#againAtMs',
    from: 2_660_271,
    noticedBy: ['never missing'],
  },
];
