import type { RoomBreak } from '../room-break.ts';

const RESULT = 'src/deliveries/delivery-result.ts';
const WRITER = 'src/deliveries/result-writer.ts';
const REACH = 'src/deliveries/reach.ts';

export const DELIVERIES: readonly RoomBreak[] = [
  {
    name: 'a push that waited for others uses up an attempt',
    promise: 'waiting for a busy server costs no attempt',
    file: RESULT,
    piece: 'isUnsent(result) && ageMs < UNSENT_COUNTS_AFTER_MS ? attempt - 1 : attempt',
    replacement: 'isUnsent(result) && ageMs < 0 ? attempt - 1 : attempt',
    by: ['deliveries/delivery-result'],
  },
  {
    name: 'a push is tried for ever',
    promise: 'a delivery that fails ends',
    file: RESULT,
    piece: "if (attempts >= MOST_ATTEMPTS) return { status: 'failed_transient', reason };",
    replacement: "if (attempts >= MOST_ATTEMPTS * 1_000) return { status: 'failed_transient', reason };",
    by: ['deliveries/delivery-result'],
  },
  {
    name: 'a refusal for good is tried again',
    promise: 'a dead address is not sent to again',
    file: RESULT,
    piece:
      "    case 'gone':\n    case 'rejected':\n      return { status: 'failed_permanent', reason: result.reason };",
    replacement:
      "    case 'gone':\n    case 'rejected':\n      return { status: 'pending', waitsFor: 'retry', reason: result.reason, retryInMs: 1_000 };",
    by: ['deliveries/delivery-result'],
  },
  {
    name: 'a provider that asks for patience is asked again at once',
    promise: 'a provider is never asked sooner than it said',
    file: 'src/deliveries/retry-policy.ts',
    piece: 'return Math.max(askedFor, withJitter(',
    replacement: 'return Math.min(askedFor || 1_000, withJitter(',
    by: ['deliveries/delivery-result'],
  },
  {
    name: 'a provider that asks for a month is obeyed',
    promise: 'a reminder is tried again within a quarter of an hour',
    file: 'src/deliveries/retry-policy.ts',
    piece: 'Math.min(askedMs ?? 0, LONGEST_ASKED_MS)',
    replacement: 'askedMs ?? 0',
    by: ['deliveries/delivery-result'],
  },
  {
    name: 'one result that cannot be stored keeps all others back',
    promise: 'one odd answer costs no other delivery its result',
    file: WRITER,
    piece: "if (error instanceof AppError && error.code === 'database_unavailable') {",
    replacement: 'if (error instanceof Error) {',
    by: ['deliveries/result-writer'],
  },
  {
    name: 'results are dropped while the database is down',
    promise: 'no nudge is repeated because the database was away',
    file: WRITER,
    piece: '      this.#attemptsLeft -= 1;\n      await delay(RETRY_MS);\n      return;\n',
    replacement: '      void [delay, RETRY_MS];\n      this.#finish(batch);\n      return;\n',
    by: ['deliveries/result-writer'],
  },
  {
    name: 'a message that was sent after its task was done stays',
    promise: 'what was in flight when a task was done is taken back',
    file: WRITER,
    piece: 'isAnyDue = await retractCancelled(trx, sent);',
    replacement: 'isAnyDue = false && (await retractCancelled(trx, sent));',
    by: ['scenario/engine'],
  },
  {
    name: 'a question that was settled in flight stays',
    promise: 'a question that somebody answered is taken back',
    file: WRITER,
    piece: 'if (await retractSettled(trx, sent)) isAnyDue = true;',
    replacement: 'void retractSettled;',
    by: ['scenario/engine'],
  },
  {
    name: 'a nudge whose channels all failed waits for an answer',
    promise: 'a nudge that reached nobody falls to the next tier at once',
    file: WRITER,
    piece: 'if (await handOnFailures(trx, others)) isAnyDue = true;',
    replacement: 'void handOnFailures;',
    by: ['contract/channel-receipts'],
  },
  {
    name: 'a mail goes to a person who has a phone',
    promise: 'the service’s own mail comes only while nothing else reaches a person',
    file: REACH,
    piece: 'const wanted = all.filter(({ automatic }) => !(automatic && hasOther));',
    replacement: 'const wanted = all.filter(({ automatic }) => !(automatic && hasOther && hasDevice && !hasDevice));',
    by: ['deliveries/reach'],
  },
  {
    name: 'a text message at stage 2 silences the mail before it',
    promise: 'adding a last resort takes away no gentler nudge',
    file: REACH,
    piece: '!channel.fault && !isLastResort(channel) && isConfigured(channel.provider)',
    replacement: '!channel.fault && isConfigured(channel.provider)',
    also: {
      piece: 'const isLastResort = ({ tier, stages }: ReachChannel): boolean => tier > 0 && !includesStage(stages, 0);',
      replacement: '',
    },
    by: ['deliveries/reach'],
  },
  {
    name: 'a person is said to be reached by a channel that is not configured',
    promise: 'what is said to reach a person does',
    file: REACH,
    piece: 'if (hasDevice || channels.some(({ provider }) => isConfigured(provider)))',
    replacement: 'if (hasDevice || channels.length > 0)',
    by: ['deliveries/reach'],
  },
  {
    name: 'an owner who is away gets mail for ever',
    promise: 'who has not opened the app for long gets one last mail',
    file: REACH,
    piece: "? 'mail_paused' : null;",
    replacement: "? ('mail_paused' && null) : null;",
    by: ['deliveries/reach'],
  },
  {
    name: 'a nudge that is leased again is sent twice by one process',
    promise: 'a nudge comes once',
    file: 'src/deliveries/unstored-sends.ts',
    piece: 'if (this.#isLeasing) this.#storedMeanwhile.push(id);\n    else this.#ids.delete(id);',
    replacement: 'this.#ids.delete(id);',
    by: ['deliveries/unstored-sends'],
  },
];
