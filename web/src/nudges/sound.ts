/**
 * The sound of a nudge: off until the person allows it, for each browser by itself. Of several open pages one sounds.
 * Browsers play nothing in a page that was not clicked or typed in yet: then another page tries, and where none may sound,
 * the banner says so.
 */
import { Store } from '../data/store.ts';

const ALLOWED_KEY = 'crescendo-sound';
const SOUNDED_KEY = 'crescendo-sounded';
/** A browser that refuses leaves the promise unsettled until the next click. On a busy machine, sound starts late. */
const REFUSED_AFTER_MS = 2_000;
const [LOW_HZ, HIGH_HZ] = [523.25, 659.25];
const TONE_SECONDS = 0.35;
const [SOFT, LOUD] = [0.05, 0.2];

export const isSoundAllowed = new Store(localStorage.getItem(ALLOWED_KEY) === '1');
/** The browser refused the last sound of this page. */
export const isSoundRefused = new Store(false);

addEventListener('storage', ({ key, newValue }) => {
  if (key === ALLOWED_KEY) isSoundAllowed.set(newValue === '1');
  // Another page sounded instead.
  if (key === SOUNDED_KEY) isSoundRefused.set(false);
});

export function allowSound(isAllowed: boolean): void {
  if (isAllowed) localStorage.setItem(ALLOWED_KEY, '1');
  else localStorage.removeItem(ALLOWED_KEY);
  isSoundAllowed.set(isAllowed);
}

/** Plays once for all nudges up to `at`, however many pages call it. A heads-up is softer. */
export async function soundOnce(at: number, isHeadsUp: boolean): Promise<void> {
  if (!isSoundAllowed.value) return;
  const sound = async () => {
    if (Number(localStorage.getItem(SOUNDED_KEY)) >= at) return;
    if (await playSound(isHeadsUp)) localStorage.setItem(SOUNDED_KEY, String(at));
  };
  // Over plain http there are no locks, and two pages may sound at the same moment.
  await ('locks' in navigator ? navigator.locks.request(SOUNDED_KEY, sound) : sound());
}

/** Returns whether the browser let it sound. */
export async function playSound(isSoft = false): Promise<boolean> {
  const context = new AudioContext();
  const refusal = new Promise<void>((resolve) => setTimeout(resolve, REFUSED_AFTER_MS));
  await Promise.race([context.resume(), refusal]).catch(() => undefined);
  const isPlaying = context.state === 'running';
  isSoundRefused.set(!isPlaying);
  if (!isPlaying) {
    void context.close();
    return false;
  }
  const volume = isSoft ? SOFT : LOUD;
  play(context, LOW_HZ, 0, volume);
  const last = play(context, HIGH_HZ, TONE_SECONDS / 2, volume);
  last.onended = () => void context.close();
  return true;
}

function play(context: AudioContext, frequency: number, after: number, volume: number): OscillatorNode {
  const [startsAt, endsAt] = [context.currentTime + after, context.currentTime + after + TONE_SECONDS];
  const tone = new OscillatorNode(context, { frequency });
  const gain = new GainNode(context, { gain: volume });
  // Without the fade, the end of the tone is a click.
  gain.gain.setValueAtTime(volume, startsAt);
  gain.gain.exponentialRampToValueAtTime(0.0001, endsAt);
  tone.connect(gain).connect(context.destination);
  tone.start(startsAt);
  tone.stop(endsAt);
  return tone;
}
