/**
 * Deliberate breaks of the service, to show that the world notices them. A break replaces a piece of a source file as
 * it is loaded; if the piece is no longer there, loading fails, so a break cannot become harmless unnoticed.
 */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { APP_BREAKS } from './app-breaks.ts';
import type { Break, Piece } from './break.ts';
import { CLOCK_BREAKS } from './clock-breaks.ts';
import { DATABASE_BREAKS } from './database-breaks.ts';
import { DOOR_BREAKS } from './door-breaks.ts';
import { KEY_BREAKS } from './key-breaks.ts';
import { PHONE_BREAKS } from './phone-breaks.ts';
import { READING_BREAKS } from './reading-breaks.ts';
import { SERVER_BREAKS } from './server-breaks.ts';
import { PAGE_SIZES } from './small-pages.ts';
import { STAND_IN_BREAKS } from './stand-in-breaks.ts';
import { UNDERSTUDY_BREAKS } from './understudy-breaks.ts';

const LEASED =
  "where status = 'pending' and (entry_id, target_id, kind) in (select entry_id, target_id, kind from due)";

export const BREAKS: readonly Break[] = [
  {
    name: 'nudges come an hour early',
    file: 'src/escalation/plan-nudge.ts',
    piece: 'return new Date(Math.max(...moments.map((moment) => moment.getTime())));',
    replacement: 'return new Date(Math.max(...moments.map((moment) => moment.getTime())) - 3_600_000);',
    noticedBy: ['never early', 'answers are true'],
  },
  {
    name: 'the lease of a delivery is not checked',
    file: 'src/deliveries/leases.store.ts',
    piece: 'provider} and next_attempt_at <= $',
    replacement: 'provider} and 0 < $',
    noticedBy: ['no duplicates', 'fallback'],
  },
  {
    name: 'a stop does not wait for pushes in flight',
    file: 'src/engine/provider-dispatch.ts',
    piece: 'await Promise.all(this.#sending);',
    replacement: '',
    noticedBy: ['no duplicates'],
  },
  {
    name: 'a task that is dealt with does not cancel its deliveries',
    file: 'src/tasks/task-changes.ts',
    piece: 'await cancelDeliveries(trx, id);',
    replacement: '',
    noticedBy: ['never after the end', 'stages never fall', 'messages'],
  },
  {
    name: 'a Live Activity is not ended with its task',
    file: 'src/tasks/task-changes.ts',
    piece: 'const hasActivity = await endActivities(trx, task, activities, entryId, now);',
    replacement: 'const hasActivity = false;',
    noticedBy: ['retraction'],
  },
  {
    name: 'the sweep has no transaction',
    file: 'src/engine/sweep.ts',
    piece: 'await transact(db, async (trx) => {',
    replacement: 'await (async (_, work) => work(db))(transact, async (trx) => {',
    noticedBy: ['deliveries', 'never after the end', 'never early', 'never missing', 'statistics', 'answers are true'],
  },
  {
    name: 'an action and its outcome are two transactions',
    file: 'src/tasks/tasks.service.ts',
    piece: 'const counts = await recordOutcome(trx, task, result, outcomeId, now, missed);',
    replacement:
      'setImmediate(() => transact(this.#db, (late) => recordOutcome(late, task, result, outcomeId, now, missed)).catch(() => {})); const counts = {};',
    noticedBy: ['whole or not at all', 'one outcome per occurrence', 'statistics'],
  },
  {
    name: 'a retry does not look at quiet hours',
    file: 'src/deliveries/outbox.ts',
    piece: 'if (waitMs <= 0) return undefined;',
    replacement: 'return undefined;',
    noticedBy: ['never in a hold'],
  },
  {
    name: 'the pause does not hold anything',
    file: 'src/escalation/holds.ts',
    piece: 'at >= from && at < until)?.until',
    replacement: 'at >= from && at < from)?.until',
    noticedBy: ['never in a hold', 'answers are true', 'sync'],
  },
  {
    name: 'the planner does not know the planned pause',
    file: 'src/escalation/holds.ts',
    piece: 'toPause(planned_pause_from, planned_pause_until, planned_keep_must_not_miss)',
    replacement: 'toPause(null, planned_pause_until, planned_keep_must_not_miss)',
    noticedBy: ['requests', 'never in a hold', 'answers are true', 'sync'],
  },
  {
    name: 'what rings anyway lets the next step through too',
    file: 'src/escalation/plan-nudge.ts',
    piece: 'if (isNamed && ringsAnyway(ringsAnywayAt, at)) return',
    replacement: 'if (ringsAnywayAt !== null && wantedAt >= ringsAnywayAt) return',
    noticedBy: ['never in a hold', 'never early', 'answers are true', 'sync'],
  },
  {
    name: 'what should ring anyway is held',
    file: 'src/escalation/plan-nudge.ts',
    piece: 'if (isNamed && ringsAnyway(ringsAnywayAt, at)) return',
    replacement: 'if (isNamed && ringsAnyway(null, at)) return',
    noticedBy: ['answers', 'answers are true', 'sync', 'never missing'],
  },
  {
    name: 'what rings anyway rings hours late',
    file: 'src/escalation/holds.ts',
    piece: 'at.getTime() - ringsAnywayAt.getTime() < RINGS_ANYWAY_FOR_MS',
    replacement: 'at.getTime() - ringsAnywayAt.getTime() < 1e3 * RINGS_ANYWAY_FOR_MS',
    noticedBy: ['never in a hold', 'never early', 'answers', 'answers are true', 'sync'],
  },
  {
    name: 'a snooze that was taken back still lasts',
    file: 'src/tasks/tasks.service.ts',
    piece: '{ deferred_until: null, ...newRun(task, now) }',
    replacement: '{ deferred_until: task.deferred_until, ...newRun(task, now) }',
    noticedBy: ['answers', 'answers are true', 'sync', 'never missing'],
  },
  {
    name: 'a snooze that is over is taken back too',
    file: 'src/tasks/tasks.service.ts',
    piece: 'const isSnoozed = task.deferred_until !== null && task.deferred_until > now;',
    replacement: 'const isSnoozed = task.deferred_until !== null;',
    noticedBy: ['answers', 'answers are true', 'sync', 'never missing', 'no duplicates', 'stages never fall'],
  },
  {
    name: 'a suspended account is nudged',
    file: 'src/escalation/plan-nudge.ts',
    piece: ' || settings.suspended_at !== null) return null;',
    replacement: ') return null;',
    noticedBy: ['never in a hold', 'never early', 'answers are true', 'sync'],
  },
  {
    name: 'what waits in the outbox is sent to a suspended account',
    file: 'src/deliveries/outbox.ts',
    piece: 'if (settings.suspended_at !== null) return',
    replacement: 'if (settings.suspended_at === undefined) return',
    noticedBy: ['never in a hold'],
  },
  {
    name: 'the plan version is not read',
    file: 'src/tasks/plan-task.ts',
    piece: "status === 'open' && plan_version !== version;",
    replacement: 'plan_version !== version && status === version;',
    noticedBy: ['answers are true', 'sync'],
  },
  {
    name: 'a newer nudge does not supersede the older one',
    file: 'src/engine/nudge-batch.ts',
    piece: 'await supersedeDeliveries(trx, taskIds);',
    replacement: '',
    noticedBy: ['stages never fall'],
  },
  {
    name: 'the engine is not woken by a change',
    file: 'src/tasks/tasks.service.ts',
    piece: 'if (task.next_fire_at) this.#wakeUp(task.next_fire_at);',
    replacement: '',
    noticedBy: ['never missing'],
  },
  {
    name: 'reopening does not withdraw the outcome',
    file: 'src/tasks/outcomes.store.ts',
    piece: 'const withdrawn = withdrawnOutcomeId && (await',
    replacement: 'const withdrawn = withdrawnOutcomeId === "" && (await',
    noticedBy: ['one outcome per occurrence', 'statistics', 'whole or not at all', 'apps', 'export'],
  },
  {
    name: 'the undo of a bulk change takes back what happened since',
    file: 'src/tasks/task-state.ts',
    piece: 'if (batchId !== undefined && batchId !== usedBatch)',
    replacement: 'if (batchId === "")',
    noticedBy: ['answers'],
  },
  {
    name: 'closed tasks still count as open',
    file: 'src/tasks/task-changes.ts',
    piece: '{ ...counts, open: opened }',
    replacement: '{ ...counts, open: Math.max(0, opened) }',
    noticedBy: ['statistics'],
  },
  {
    name: 'members see requests that are not accepted',
    file: 'src/tasks/visibility.ts',
    piece: 'task.space_id !== null && task.accepted_by_owner && areMembers',
    replacement: 'task.space_id !== null && areMembers',
    noticedBy: ['visibility', 'answers'],
  },
  {
    name: 'a person who leaves a space stays the assigner of tasks there',
    file: 'src/tasks/space-tasks.service.ts',
    piece: 'const ended = await endAssignments(trx, space_id, user_id, limit - rows);',
    replacement: 'const ended = []; void endAssignments;',
    noticedBy: ['deliveries'],
  },
  {
    name: 'sync does not report what was taken out of a space',
    file: 'src/tasks/task-changes.ts',
    piece: 'await recordRemovalsAfterChange(trx, task, changed);',
    replacement: '',
    noticedBy: ['sync'],
  },
  {
    name: 'an accepted push is not recorded',
    file: 'src/deliveries/result-writer.ts',
    piece: 'await recordSent(trx, sent, this.#clock.now());',
    replacement: '',
    noticedBy: ['no duplicates'],
  },
  {
    name: 'a push is retried without a pause',
    file: 'src/deliveries/delivery-result.ts',
    piece: 'retryInMs: pauseBeforeRetryMs(failures, askedMs, random)',
    replacement: 'retryInMs: 0 * pauseBeforeRetryMs(failures, askedMs, random)',
    noticedBy: ['no duplicates'],
  },
  {
    name: 'an overload costs a device its token',
    file: 'src/engine/provider-dispatch.ts',
    piece: "result.kind === 'gone' ? toDeadToken",
    replacement: "result.kind === 'gone' || result.kind === 'retry' ? toDeadToken",
    noticedBy: ['deliveries', 'arrival'],
  },
  {
    name: 'a clock that was set back is not noticed',
    file: 'src/engine/set-back-clock.ts',
    piece: 'if (byMs > TOLERANCE_MS) {',
    replacement: 'if (byMs > Number.MAX_VALUE) {',
    noticedBy: ['never missing'],
  },
  {
    name: 'changes are stamped by a clock that was set back',
    file: 'src/db/sqlite/stamps.ts',
    piece: 'latestMs = Math.max(latestMs, toMs);',
    replacement: 'latestMs = toMs;',
    noticedBy: ['apps', 'sync'],
  },
  {
    name: 'an old notification completes the next occurrence',
    file: 'src/tasks/task-state.ts',
    piece:
      "if (isStale(task, action)) return refuse('occurrence_passed');\n  if (task.status !== 'open') return task.status",
    replacement: "if (task.status !== 'open') return task.status",
    noticedBy: ['answers', 'answers are true'],
  },
  {
    name: 'a series forgets the time zone and its change of clocks',
    file: 'src/tasks/due.ts',
    piece: 'const dueAt = nextOccurrence(rule, { first, zone }, after);',
    replacement: "const dueAt = nextOccurrence(rule, { first, zone: 'UTC' }, after);",
    noticedBy: ['apps', 'answers are true'],
  },
  {
    name: 'one account may use all of a provider',
    file: 'src/engine/places.ts',
    piece: 'this.#occupied.of(recipientId) >= this.left',
    replacement: 'this.left <= 0',
    also: { piece: 'count >= left ?', replacement: 'count < 0 ?' },
    noticedBy: ['fairness'],
  },
  {
    name: 'a tier is used before its time',
    file: 'src/escalation/fallback.ts',
    piece: 'startedAt + rank * fallbackMinutes * 60_000',
    replacement: 'startedAt + rank * fallbackMinutes * 6_000',
    noticedBy: ['fallback'],
  },
  {
    name: 'later nudges start the clock of the fallback again',
    file: 'src/escalation/fallback.ts',
    piece: '(unansweredSince ?? now).getTime()',
    replacement: 'now.getTime()',
    noticedBy: ['fallback'],
  },
  {
    name: 'a tier is forgotten if the process dies while it is used',
    from: 451,
    file: 'src/deliveries/leases.store.ts',
    piece: LEASED,
    replacement: `, status = case when tier > 0 then 'superseded' else status end ${LEASED}`,
    noticedBy: ['fallback'],
  },
  {
    name: 'a nudge falls to the next tier although somebody has answered',
    file: 'src/deliveries/waiting-tiers.ts',
    piece: ".where('tier', '>', aboveTier)",
    replacement: ".where('tier', '>', aboveTier + 9)",
    noticedBy: ['fallback'],
  },
  {
    name: 'a message is not taken back with its task',
    file: 'src/tasks/task-changes.ts',
    piece: '(await retractMessages(trx, task, messages, entryId, now)) || hasActivity',
    replacement: 'hasActivity',
    noticedBy: ['messages'],
  },
  {
    name: 'a message does not replace the one before it',
    file: 'src/deliveries/outbox.ts',
    piece: 'await listRefs(parts.db, delivery)',
    replacement: "delivery.kind === 'retract' ? await listRefs(parts.db, delivery) : []",
    noticedBy: ['messages'],
  },
  {
    name: 'a nudge goes to the devices of everybody in its batch',
    file: 'src/engine/sweep.ts',
    piece: 'devices: devices.get(userId) ?? [],',
    replacement: 'devices: [...devices.values()].flat(),',
    noticedBy: ['recipients', 'no duplicates'],
  },
  {
    name: 'a report that a message was seen is not noted',
    file: 'src/channels/events.service.ts',
    piece: "if (!delivery || !(await setAnswered(trx, delivery, 'confirmed_at', clock.now()))) return;",
    replacement: 'if (!delivery || delivery.status) return;',
    noticedBy: ['answers'],
  },
  {
    name: 'a late report that a message did not arrive makes a seen one fail',
    file: 'src/channels/events.service.ts',
    piece: 'if (!delivery || delivery.confirmed_at !== null) return;',
    replacement: 'if (!delivery) return;',
    noticedBy: ['answers', 'fallback'],
  },
  {
    name: 'a suspension cancels the only nudge of a task',
    file: 'src/deliveries/outbox.ts',
    piece: 'if (!waitsForSuspension) return',
    replacement: 'if (waitsForSuspension !== undefined) return',
    noticedBy: ['arrival'],
  },
  {
    name: 'the buttons of a nudge name no occurrence',
    file: 'src/deliveries/outgoing-push.ts',
    piece: 'occurrenceDueAt: task.due_at',
    replacement: 'occurrenceDueAt: null',
    noticedBy: ['arrival'],
  },
  {
    name: 'the mail that the service makes leaves out heads-ups and first nudges',
    file: 'src/channels/own-mail.store.ts',
    piece: 'stages: toStageBits(STAGES),',
    replacement: 'stages: toStageBits(STAGES.slice(2)),',
    noticedBy: ['own mail'],
  },
  {
    name: 'mails about a task are not counted',
    file: 'src/deliveries/message-limits.store.ts',
    piece: ".where('created_at', '>', since)",
    replacement: ".where('created_at', '>', since).where('stage', '=', 9)",
    noticedBy: ['own mail'],
  },
  {
    name: 'results are stored half a minute late',
    file: 'src/deliveries/result-writer.ts',
    piece: 'await new Promise(setImmediate);',
    replacement:
      "await new Promise(setImmediate);\n    await (await import('node:timers/promises')).setTimeout(30_000);",
    noticedBy: ['fairness', 'no duplicates', 'messages', 'arrival', 'a stop ends'],
  },
  {
    name: 'phones get messages about requests',
    file: 'src/engine/request-sweep.ts',
    piece: "devices.filter(({ platform }) => platform === 'web').map(toBrowserTarget)",
    replacement: 'devices.map(toBrowserTarget)',
    noticedBy: ['requests'],
  },
  {
    name: 'messages about requests come in quiet hours',
    file: 'src/tasks/requests/request-messages.ts',
    piece: 'if (at > now) return { kind',
    replacement: 'if (at < now) return { kind',
    also: {
      file: 'src/deliveries/request-pushes.ts',
      piece: 'if (waitMs <= 0) return undefined;',
      replacement: 'return undefined;',
    },
    noticedBy: ['requests'],
  },
  {
    name: 'a request that is settled is told all the same',
    file: 'src/tasks/requests/tell-people.ts',
    piece: 'if (wasTold && !isAsked) await settleQuestions(trx, id, now);',
    replacement: '',
    also: {
      file: 'src/tasks/requests/request-messages.ts',
      piece: "if (kind === 'asked' || kind === 'unanswered') return isTold(task);",
      replacement: "if (kind === 'asked' || kind === 'unanswered') return true;",
    },
    noticedBy: ['requests'],
  },
  {
    name: 'a request is repeated for ever',
    file: 'src/tasks/requests/request-messages.ts',
    piece: 'export const MOST_REPEATS = 3;',
    replacement: 'export const MOST_REPEATS = 300;',
    noticedBy: ['requests'],
  },
  {
    name: 'asking again repeats the message of the day',
    file: 'src/tasks/requests/request-messages.ts',
    piece: "if (message.kind === 'asked' && today.some(isOfSame))",
    replacement: "if (message.kind === 'declined' && today.some(isOfSame))",
    noticedBy: ['requests'],
  },
  {
    name: 'messages about requests have no bound',
    file: 'src/tasks/requests/request-messages.ts',
    piece: 'const MOST_A_DAY = 10;',
    replacement: 'const MOST_A_DAY = 1_000;',
    also: { piece: 'const SHARE_OF_ONE = 7;', replacement: 'const SHARE_OF_ONE = 1_000;' },
    noticedBy: ['requests'],
  },
  {
    name: 'the switch turns no message off',
    file: 'src/tasks/requests/request-messages.ts',
    piece: 'recipient.hears_requests && recipient',
    replacement: 'recipient',
    noticedBy: ['requests'],
  },
  {
    name: 'a request is not repeated',
    file: 'src/engine/request-sweep.ts',
    piece: "if (decision.kind === 'send' || decision.kind === 'pass') await planNext(trx, request, now);",
    replacement: '',
    noticedBy: ['requests'],
  },
  {
    name: 'a ladder waits as briefly as it says',
    file: 'src/escalation/plan-nudge.ts',
    piece: 'Math.max(nudgedAt.getTime() + after * MINUTE_MS, earliest)',
    replacement: 'nudgedAt.getTime() + after * MINUTE_MS',
    noticedBy: ['waits', 'never early', 'answers are true', 'sync'],
  },
  {
    name: 'a moment of the next day comes at once',
    file: 'src/escalation/plan-nudge.ts',
    piece: 'if (moment >= soonest) return moment;',
    replacement: 'return moment;',
    noticedBy: ['waits', 'never early', 'answers are true', 'sync'],
  },
  {
    name: 'a ladder ends although its task must not be missed',
    file: 'src/escalation/plan-nudge.ts',
    piece: '?? (task.mustNotMiss ? lastingRung(task.ladder) : null)',
    replacement: '?? null',
    noticedBy: ['never missing', 'answers are true', 'sync'],
  },
  {
    name: 'a repeated rung is as weak as at first',
    file: 'src/escalation/ladder.ts',
    piece: '{ ...repeated, stage: lastStageOf(rungs) }',
    replacement: 'repeated',
    noticedBy: ['stages never fall', 'never early'],
  },
  {
    name: 'a ladder that stops goes on',
    file: 'src/escalation/ladder.ts',
    piece: 'if (!end) return null;',
    replacement: 'if (!end) return rungs.at(-1) ?? null;',
    noticedBy: ['answers', 'never early', 'answers are true', 'sync'],
  },
  {
    name: 'somebody else changes the ladder with the label',
    file: 'src/tasks/ladder-label.ts',
    piece: 'const isFrozen = before.accepted_by_owner && before.kind !== after.kind;',
    replacement: 'const isFrozen = false;',
    noticedBy: ['never early', 'never missing', 'answers are true', 'sync'],
  },
  {
    name: 'a change of ladders leaves tasks as they were planned',
    file: 'src/ladders/ladders.service.ts',
    piece: 'if (movesNudges) await this.#replan(trx, userId);',
    replacement: 'void movesNudges;',
    noticedBy: ['never missing', 'never early', 'answers are true', 'sync'],
  },
  {
    name: 'the ladder of the account wins over the one of a label',
    file: 'src/escalation/choose-ladder.ts',
    piece: "findChosen(book.labels.find((one) => one.label === label)?.ladder ?? null, 'label', book) ??",
    replacement: '',
    noticedBy: ['never early', 'never missing', 'answers are true', 'sync'],
  },
  {
    name: 'only the heads-up of the lead time comes',
    file: 'src/escalation/plan-nudge.ts',
    piece: 'leadTimeDays === null ? headsUps : [{ days: leadTimeDays }, ...headsUps]',
    replacement: 'leadTimeDays === null ? headsUps : [{ days: leadTimeDays }]',
    noticedBy: ['never missing', 'answers are true', 'sync'],
  },
  ...STAND_IN_BREAKS,
  ...APP_BREAKS,
  ...UNDERSTUDY_BREAKS,
  ...READING_BREAKS,
  ...KEY_BREAKS,
  ...PHONE_BREAKS,
  ...CLOCK_BREAKS,
  ...SERVER_BREAKS,
  ...DOOR_BREAKS,
  ...DATABASE_BREAKS,
];

const ROOT = join(import.meta.dirname, '../..');

/** Must be called before the code under test is imported. */
export function install(broken: Break | undefined): void {
  const sources = new Map(
    changed([...(broken ? piecesOf(broken) : []), ...PAGE_SIZES]).map(([file, source]) => [
      pathToFileURL(join(ROOT, file)).href,
      source,
    ]),
  );
  registerHooks({
    load: (url, context, next) => {
      const source = sources.get(url);
      return source === undefined ? next(url, context) : { format: 'module-typescript', source, shortCircuit: true };
    },
  });
}

/** Throws if the code has changed so that the break does not fit it any more. */
export const brokenSources = (broken: Break): [file: string, source: string][] => changed(piecesOf(broken));

const piecesOf = ({ file, also, ...first }: Break) => [{ file, ...first }, ...(also ? [{ file, ...also }] : [])];

function changed(pieces: readonly (Piece & { readonly file: string })[]): [file: string, source: string][] {
  return [...Map.groupBy(pieces, (piece) => piece.file)].map(([name, own]) => [
    name,
    own.reduce((text, piece) => replaceOnce(name, text, piece), readFileSync(join(ROOT, name), 'utf8')),
  ]);
}

function replaceOnce(file: string, source: string, { piece, replacement }: Piece): string {
  if (source.split(piece).length !== 2) throw new Error(`${file} does not contain this once: ${piece}`);
  return source.replace(piece, () => replacement);
}
