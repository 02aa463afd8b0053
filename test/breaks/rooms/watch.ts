import type { RoomBreak } from '../room-break.ts';

const own = ['src/watch/'];
const metrics = ['contract/metrics'];

export const WATCH: readonly RoomBreak[] = [
  {
    name: 'a heartbeat follows a redirect',
    promise: 'the secret address of the monitor is told to nobody else',
    file: 'src/watch/heartbeat.ts',
    piece: "redirect: 'manual'",
    replacement: "redirect: 'follow'",
    by: ['contract/heartbeat'],
  },
  {
    name: 'a clock that is set back stops the checks',
    promise: 'the monitor raises an alarm only if the service is not healthy',
    file: 'src/watch/minute-checks.ts',
    piece: 'if (now >= dueAt || dueAt > now + MINUTE_MS) dueAt',
    replacement: 'if (now >= dueAt || dueAt === Number.POSITIVE_INFINITY) dueAt',
    by: own,
  },
  {
    name: 'a delivery that waits for a later attempt counts as stuck since its creation',
    promise: 'stuck deliveries are reported, and only those',
    file: 'src/watch/outbox.store.ts',
    piece: 'return oldest.next_attempt_at > oldest.created_at ? oldest.next_attempt_at : oldest.created_at;',
    replacement: 'return oldest.created_at;',
    by: metrics,
  },
  {
    name: 'a clock that is set back freezes the figures',
    promise: 'metrics tell how it is now',
    file: 'src/watch/cached-for.ts',
    piece: 'if (nowMs - loadedAtMs < forMs && nowMs >= loadedAtMs) return result;',
    replacement: 'if (nowMs - loadedAtMs < forMs) return result;',
    by: own,
  },
  {
    name: 'a duration at a bound counts for the next bucket',
    promise: 'alarms on slow requests are right',
    file: 'src/watch/request-histogram.ts',
    piece: 'seconds > (BOUNDS_SECONDS[bucket] ?? 0)',
    replacement: 'seconds >= (BOUNDS_SECONDS[bucket] ?? 0)',
    by: own,
  },
  {
    name: 'the beginning of the token opens the metrics',
    promise: 'only who knows the whole token reads the metrics',
    file: 'src/watch/metrics.routes.ts',
    piece: '!isEqualSecret(given, token)',
    replacement: '!token.startsWith(given)',
    by: metrics,
  },
  {
    name: 'a sentence of a provider is written into a trace',
    promise: 'traces hold no text that a person wrote',
    file: 'src/watch/spans.ts',
    piece: 'const hasCode = ERROR_CODE.test(reason);',
    replacement: 'const hasCode = ERROR_CODE.source.length > 0;',
    by: own,
  },
  {
    name: 'the size of a batch without due tasks is measured',
    promise: 'the figures of sweeps are about sweeps that did something',
    file: 'src/watch/engine-metrics.ts',
    piece: 'if (swept.taken === 0) return swept;',
    replacement: 'if (swept.taken < 0) return swept;',
    by: own,
  },
  {
    name: 'a message has no reference while traces are written',
    promise: 'a message whose answer is lost is taken back with its task',
    file: 'src/push/gateway.ts',
    piece: '    refOf: (push) => gateway.refOf?.(push),\n',
    replacement: '',
    by: ['src/watch/spans'],
  },
  {
    name: 'a server has all places while traces are written',
    promise: 'a server that hangs delays no other',
    file: 'src/push/gateway.ts',
    piece: '    placesPerServer: gateway.placesPerServer,\n',
    replacement: '',
    by: ['src/watch/spans'],
  },
];
