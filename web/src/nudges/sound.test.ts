import assert from 'node:assert/strict';
import { settleAll } from '../../../test/support/fake-browser.ts';
import { page, tellPage, testInPage } from '../../../test/support/fake-page.ts';

const SOUNDED = 'crescendo-sounded';

const volumes: number[] = [];
const closed: string[] = [];
/** What the browser does with a page that nobody has clicked in: the promise stays open. */
let isMuted = false;
let last: { onended?: () => void } | undefined;

class FakeAudioContext {
  currentTime = 0;
  destination = {};
  get state() {
    return isMuted ? 'suspended' : 'running';
  }
  resume = () => (isMuted ? new Promise<void>(() => undefined) : Promise.resolve());
  close = async () => void closed.push('closed');
}
class FakeGain {
  gain = { setValueAtTime: (volume: number) => volumes.push(volume), exponentialRampToValueAtTime: () => undefined };
  connect = () => undefined;
}
class FakeOscillator {
  onended?: () => void;
  constructor() {
    last = this;
  }
  connect = (to: object) => to;
  start = () => undefined;
  stop = () => undefined;
}
const AUDIO = {
  AudioContext: FakeAudioContext,
  GainNode: FakeGain,
  OscillatorNode: FakeOscillator,
  // Without locks, which a test that fails would keep.
  navigator: {},
};

async function openPage() {
  volumes.length = 0;
  closed.length = 0;
  isMuted = false;
  const sound = await import('./sound.ts');
  sound.isSoundRefused.set(false);
  sound.allowSound(true);
  return sound;
}

testInPage(
  'nothing sounds before the person allows it, nor after it was forbidden, here or in another tab',
  async () => {
    const { allowSound, isSoundAllowed, soundOnce } = await openPage();
    assert.equal(page.localStorage.getItem('crescendo-sound'), '1');
    allowSound(false);
    assert.equal(page.localStorage.getItem('crescendo-sound'), null);
    await soundOnce(1, false);
    assert.deepEqual(volumes, []);
    tellPage('storage', { key: 'crescendo-sound', newValue: '1' });
    assert.equal(isSoundAllowed.value, true);
    tellPage('storage', { key: 'crescendo-sound', newValue: null });
    assert.equal(isSoundAllowed.value, false);
  },
  AUDIO,
);

testInPage(
  'a nudge sounds once in the browser, the next one again, and a heads-up is softer',
  async () => {
    const { soundOnce } = await openPage();
    await soundOnce(5, false);
    await soundOnce(5, false);
    await soundOnce(4, false);
    assert.equal(volumes.length, 2);
    last?.onended?.();
    assert.deepEqual(closed, ['closed'], 'a browser has few players');
    const loud = volumes[0] ?? 0;
    await soundOnce(6, true);
    assert.ok((volumes[2] ?? 1) < loud && volumes.length === 4);
    assert.equal(page.localStorage.getItem(SOUNDED), '6');
  },
  AUDIO,
);

testInPage(
  'where the browser refuses to play, the page says so, and another page may sound instead',
  async (browser) => {
    const { isSoundRefused, soundOnce } = await openPage();
    isMuted = true;
    const tried = soundOnce(7, false);
    await settleAll();
    assert.equal(isSoundRefused.value, false, 'it may still begin');
    await browser.pass(2_000);
    await tried;
    assert.deepEqual([isSoundRefused.value, volumes, closed.length], [true, [], 1]);
    assert.equal(page.localStorage.getItem(SOUNDED), null);
    tellPage('storage', { key: SOUNDED, newValue: '7' });
    assert.equal(isSoundRefused.value, false);
    isMuted = false;
    await soundOnce(8, false);
    assert.equal(volumes.length, 2);
  },
  AUDIO,
);
