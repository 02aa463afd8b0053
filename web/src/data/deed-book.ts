/** The deeds of this browser that the service has not heard of, and the telling of them. */
import type { Task } from '../api/client.ts';
import type { Problem } from '../api/problem.ts';
import { changeBy, type Deed, type DeedKind, type RefusedDeed } from './deeds.ts';
import { kept } from './kept.ts';
import { listDeeds, replay, type Told, writeDown } from './replay.ts';
import { Store, useStore } from './store.ts';

/** How long a deed that cannot be undone later may still be taken back. */
const REGRET_MS = 5_000;
const RETRY_MS = 10_000;
const TAKEN_BACK_HERE: ReadonlySet<DeedKind> = new Set(['snooze', 'decline']);

const deeds = new Store<readonly Deed[]>([]);
const refused = new Store<readonly RefusedDeed[]>([]);
/** The ids that tasks made here were given, and the way back. */
const renamed = new Map<string, string>();
const firstNames = new Map<string, string>();

export const useDeeds = () => useStore(deeds);
export const useRefused = () => useStore(refused);
export const idOf = (taskId: string) => renamed.get(taskId) ?? taskId;
/** Stays the same when a task gets its id, so that what is drawn of it, and the focus in it, stays too. */
export const keyOf = (taskId: string) => firstNames.get(taskId) ?? taskId;
export const countDeeds = () => deeds.value.length;

interface Listener {
  /** Whose deeds may be told now. */
  userId(): string | undefined;
  /** A deed took effect and the service told the task's new state. */
  told(task: Partial<Task> & Pick<Task, 'id'>, deed: Deed): void;
  replayed(stoppedBy: Problem | undefined, anyTold: boolean): void;
}

let listener: Listener | undefined;
let retry: ReturnType<typeof setTimeout> | undefined;
const channel = new BroadcastChannel('crescendo');

export async function openDeedBook(listening: Listener): Promise<void> {
  listener = listening;
  await reload();
  const again = () => void tellAll();
  addEventListener('online', again);
  document.addEventListener('visibilitychange', () => void tellAll(document.visibilityState === 'hidden'));
  addEventListener('pagehide', () => void tellAll(true));
  // Another page, or the service worker, told something.
  channel.onmessage = () => void reload().then(() => listening.replayed(undefined, true));
  again();
}

export interface Doing {
  readonly kind: DeedKind;
  readonly task: Pick<Task, 'id' | 'title'>;
  readonly userId: string;
  readonly body?: Deed['body'];
}

/** Written down first, shown at once, told as soon as can be. */
export async function doDeed({ kind, task, userId, body = {} }: Doing): Promise<Deed> {
  const at = Math.max(Date.now(), (deeds.value.at(-1)?.at ?? 0) + 1);
  const notBefore = TAKEN_BACK_HERE.has(kind) ? at + REGRET_MS : 0;
  const deed: Deed = {
    key: crypto.randomUUID(),
    kind,
    userId,
    taskId: idOf(task.id),
    title: task.title,
    body,
    at,
    notBefore,
  };
  await writeDown(deed);
  deeds.set([...deeds.value, deed]);
  void tellAll();
  return deed;
}

/** True where the service had not heard of it; otherwise it takes another deed to undo it. */
export async function takeBack(deed: Deed): Promise<boolean> {
  const waits = (await listDeeds()).some(({ key }) => key === deed.key);
  const isUnderWay = telling && deed.notBefore <= Date.now();
  if (!waits || isUnderWay) return false;
  await kept.remove('deeds', deed.key);
  await reload();
  return true;
}

export async function dismissRefused({ deed }: RefusedDeed): Promise<void> {
  await kept.remove('refused', deed.key);
  await reload();
}

let telling = false;
/** What was asked for since the telling began. */
let asked: 'no' | 'yes' | 'at once' = 'no';

/** `atOnce`: the page is going, so nothing waits for a change of mind. */
async function tellAll(atOnce = false): Promise<void> {
  if (asked !== 'at once') asked = atOnce ? 'at once' : 'yes';
  if (telling) return;
  telling = true;
  clearTimeout(retry);
  try {
    while (asked !== 'no') {
      const hurries = asked === 'at once';
      asked = 'no';
      await tellOnce(hurries);
    }
  } finally {
    telling = false;
  }
}

async function tellOnce(atOnce: boolean): Promise<void> {
  const userId = listener?.userId();
  if (userId === undefined || !deeds.value.some((deed) => deed.userId === userId)) return;
  let anyTold = false;
  const { stoppedBy } = await replay({
    now: atOnce ? Number.POSITIVE_INFINITY : Date.now(),
    userId,
    onTold: (told) => {
      anyTold = true;
      hearOf(told);
    },
  });
  await reload();
  channel.postMessage('told');
  listener?.replayed(stoppedBy, anyTold);
  const next = Math.min(...deeds.value.map(({ notBefore }) => notBefore));
  const wait = stoppedBy ? (stoppedBy.retryAfterSeconds ?? RETRY_MS / 1_000) * 1_000 : next - Date.now() + 50;
  if (deeds.value.length > 0 && stoppedBy?.status !== 401) {
    retry = setTimeout(() => void tellAll(), Math.max(50, wait));
  }
}

/** The task's new state takes the place of the deed in the same moment, so that nothing flickers. */
function hearOf({ deed, task }: Told): void {
  if (deed.kind === 'create') {
    renamed.set(deed.taskId, task.id);
    firstNames.set(task.id, deed.taskId);
  }
  const isClosing = deed.kind === 'complete' || deed.kind === 'skip';
  listener?.told({ ...(isClosing ? { deferred_until: null } : changeBy(deed)), ...task }, deed);
  deeds.set(deeds.value.filter(({ key }) => key !== deed.key).map(withKnownId));
}

const withKnownId = (deed: Deed): Deed => (deed.kind === 'create' ? deed : { ...deed, taskId: idOf(deed.taskId) });

async function reload(): Promise<void> {
  deeds.set((await listDeeds()).map(withKnownId));
  refused.set(await kept.list<RefusedDeed>('refused'));
}
