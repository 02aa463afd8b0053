/**
 * Sends the colours that a person chose for labels. What could not be sent waits in the browser, in what signing out
 * clears. A colour from when each browser kept its own never replaces one that the account has.
 */
import { api, type LabelColour, unwrap } from '../api/client.ts';
import { Problem, problemText } from '../api/problem.ts';
import { localDatabase } from '../data/local-database.ts';
import { isServiceReachable, queryClient } from '../data/query-client.ts';
import { currentTasks, currentUserId } from '../data/sync.ts';
import { showToast } from '../data/toast.ts';
import { strings } from '../strings.ts';
import { COLOURS, countLabels, hashOf, KEPT_KEY, labelsOptions, readLabelsAfter, WAITING_KEY } from './labels.ts';

const keyOf = (userId: string) => `label colours ${userId}`;

/** One change at a time, because each of them reads first. */
let running: Promise<void> = Promise.resolve();
let waitingChanges = 0;
const inTurn = (run: () => Promise<void>): Promise<void> => {
  waitingChanges += 1;
  const runInTurn = () => {
    waitingChanges -= 1;
    return run();
  };
  running = running.then(runInTurn).catch((error: unknown) => showToast(problemText(error)));
  readLabelsAfter(running);
  return running;
};

isServiceReachable.subscribe(() => {
  if (isServiceReachable.value && localStorage.getItem(WAITING_KEY)) void send();
});

/** Shows the colours at once, and sends them. */
export function chooseColours(colours: readonly LabelColour[]): Promise<void> {
  const userId = currentUserId();
  void queryClient.cancelQueries(labelsOptions);
  show(colours);
  return inTurn(async () => {
    await localDatabase.put('cache', keyOf(userId), merge(await listWaiting(userId), colours));
    localStorage.setItem(WAITING_KEY, '1');
    await sendWaiting(userId);
  });
}

export const send = (): Promise<void> =>
  inTurn(async () => {
    const userId = currentUserId();
    if (userId === '') return;
    await sendKept();
    await sendWaiting(userId);
  });

async function sendWaiting(userId: string): Promise<void> {
  const waiting = await listWaiting(userId);
  if (waiting.length > 0 && !(await put({ labels: waiting }))) return showToast(strings.worker.savedOffline);
  await localDatabase.remove('cache', keyOf(userId));
  localStorage.removeItem(WAITING_KEY);
}

/** Browsers stored a number for each label, computed from its letters, so only labels in use are found. */
async function sendKept(): Promise<void> {
  const kept = localStorage.getItem(KEPT_KEY);
  if (kept === null) return;
  const labels = countLabels(currentTasks()).flatMap(([label]) => {
    const colour = COLOURS[readNumber(kept, hashOf(label))];
    return colour === undefined ? [] : [{ label, colour }];
  });
  if (labels.length === 0 || (await put({ labels, keep_existing: true }))) localStorage.removeItem(KEPT_KEY);
}

function readNumber(kept: string, hash: number): number {
  try {
    return Number((JSON.parse(kept) as Readonly<Record<number, unknown>>)[hash] ?? -1);
  } catch {
    return -1;
  }
}

/** False if the service cannot be reached now. Colours that it refuses are dropped, and the person is told. */
async function put(body: { readonly labels: LabelColour[]; readonly keep_existing?: boolean }): Promise<boolean> {
  try {
    const stored = await unwrap(api.PUT('/v1/labels', { body: { keep_existing: false, ...body } }));
    await queryClient.cancelQueries(labelsOptions);
    // The colours of later changes are shown already, and not stored yet.
    if (waitingChanges === 0) queryClient.setQueryData(labelsOptions.queryKey, stored);
    return true;
  } catch (error) {
    if (error instanceof Problem && (error.isTemporary || error.status === 401)) return false;
    showToast(problemText(error));
    void queryClient.invalidateQueries(labelsOptions);
    return true;
  }
}

const listWaiting = async (userId: string) => (await localDatabase.get<LabelColour[]>('cache', keyOf(userId))) ?? [];

function merge(before: readonly LabelColour[], changed: readonly LabelColour[]): LabelColour[] {
  const isChanged = ({ label }: LabelColour) => changed.some((one) => one.label === label);
  return [...before.filter((one) => !isChanged(one)), ...changed];
}

const show = (colours: readonly LabelColour[]): void =>
  void queryClient.setQueryData(labelsOptions.queryKey, (before) => merge(before ?? [], colours));
