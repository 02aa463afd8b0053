/** This browser as a device: registered once, healed when it opens, and gone once it is removed or signed out of. */
import assert from 'node:assert/strict';
import { database, settleAll } from '../../../test/support/fake-browser.ts';
import { tellPage, testInPage } from '../../../test/support/fake-page.ts';

/** 32 bytes of which base64 needs every letter of base64url. */
const KEY_BYTES = Uint8Array.from({ length: 33 }, (_, index) => (index % 2 === 0 ? 0xfb : 0xff)).subarray(0, 32);
const KEY = btoa(String.fromCharCode(...KEY_BYTES))
  .replaceAll('+', '-')
  .replaceAll('/', '_')
  .replaceAll('=', '');

class Subscription {
  readonly endpoint: string;
  readonly options: { readonly applicationServerKey: ArrayBuffer | null };
  constructor(endpoint: string, key: Uint8Array | null = KEY_BYTES) {
    this.endpoint = endpoint;
    this.options = { applicationServerKey: key && (Uint8Array.from(key).buffer as ArrayBuffer) };
  }
  toJSON() {
    return { endpoint: this.endpoint, keys: { auth: 'a' } };
  }
  async unsubscribe() {
    push.ended.push(this.endpoint);
    push.current = null;
    return true;
  }
}

/** The push service of the browser. */
const push = {
  current: null as Subscription | null,
  ended: [] as string[],
  made: 0,
  fails: undefined as (() => Error | undefined) | undefined,
  manager: {
    getSubscription: async () => push.current,
    subscribe: async () => {
      const fault = push.fails?.();
      if (fault) throw fault;
      push.made += 1;
      push.current = new Subscription(`new ${push.made}`);
      return push.current;
    },
  },
};

const registration = { pushManager: push.manager };
const Notification = { permission: 'granted', requestPermission: async () => Notification.permission };
const BROWSER = {
  Notification,
  window: { PushManager: {}, Notification },
  navigator: { serviceWorker: { ready: Promise.resolve(registration), getRegistration: async () => registration } },
};

const own = () => database.rows('cache').get('own-device');
const device = { id: 'this', valid: true };

/** A browser that was registered with the endpoint, at a service that lists these devices. */
async function openBrowser(
  browser: { respond: unknown },
  { devices = [device] as object[], key = KEY as string | null } = {},
) {
  Object.assign(push, { current: new Subscription('old'), ended: [], made: 0, fails: undefined });
  Notification.permission = 'granted';
  database.rows('cache').set('own-device', { id: 'this', endpoint: 'old' });
  browser.respond = ({ method, path }: { method: string; path: string }) => {
    if (path.endsWith('vapid-key')) return { data: { public_key: key } };
    if (method === 'GET') return { data: devices };
    return { data: { id: 'again' } };
  };
  return { ...(await import('./devices.ts')), ...(await import('./own-device.ts')) };
}

const AGAIN = ['POST /v1/devices', 'DELETE /v1/devices/this'];
const changes = (asked: readonly string[]) => asked.filter((one) => !one.startsWith('GET'));

testInPage(
  'a browser whose subscription works is left alone',
  async (browser) => {
    const { healPush } = await openBrowser(browser);
    assert.equal(await healPush(), undefined);
    // Safari does not say with which key a subscription was made.
    push.current = new Subscription('old', null);
    assert.equal(await healPush(), undefined);
    assert.deepEqual([changes(browser.asked), push.made, push.ended], [[], 0, []]);
  },
  BROWSER,
);

for (const [fault, found, ended] of [
  ['is gone', null, []],
  ['was made with another key', new Subscription('old', new Uint8Array(32)), ['old']],
  ['was replaced', new Subscription('other'), []],
] as const)
  testInPage(
    `a browser whose subscription ${fault} subscribes again, and is no second device`,
    async (browser) => {
      const { healPush } = await openBrowser(browser);
      push.current = found;
      assert.equal(await healPush(), undefined);
      assert.deepEqual(changes(browser.asked), AGAIN);
      assert.deepEqual(push.ended, ended);
      assert.deepEqual(own(), { id: 'again', endpoint: 'new 1' });
    },
    BROWSER,
  );

testInPage(
  'a browser that the service knows by the same id again stays its device',
  async (browser) => {
    const { registerBrowser } = await openBrowser(browser);
    browser.respond = () => ({ data: { id: 'this' } });
    await registerBrowser(new Subscription('other') as never);
    assert.deepEqual(browser.asked, ['POST /v1/devices']);
    assert.deepEqual(own(), { id: 'this', endpoint: 'other' });
  },
  BROWSER,
);

testInPage(
  'a browser that its push service refused subscribes again; one that was removed elsewhere stops',
  async (browser) => {
    const refused = await openBrowser(browser, { devices: [{ ...device, valid: false }] });
    await refused.healPush();
    assert.deepEqual([changes(browser.asked), push.ended], [AGAIN, ['old']]);
    browser.requests.length = 0;
    const removed = await openBrowser(browser, { devices: [{ id: 'other', valid: true }] });
    assert.equal(await removed.healPush(), undefined);
    assert.deepEqual([changes(browser.asked), push.ended, own()], [[], ['old'], undefined]);
    await removed.healPush();
    assert.equal(push.made, 0, 'it was never asked to receive nudges again');
  },
  BROWSER,
);

testInPage(
  'why a browser no longer receives nudges is told, except what is the fault of the service',
  async (browser) => {
    const { healPush } = await openBrowser(browser);
    push.current = null;
    push.fails = () => new DOMException('The push service is silent', 'AbortError');
    assert.equal(await healPush(), 'failed');
    push.fails = () => new TypeError('Something else');
    await assert.rejects(healPush(), TypeError);
    Notification.permission = 'denied';
    assert.equal(await healPush(), 'not_allowed');
    const without = await openBrowser(browser, { key: null });
    assert.equal(await without.healPush(), 'not_offered');
  },
  BROWSER,
);

testInPage(
  'push is on only if the browser is subscribed, allowed, and known to the service as a device that works',
  async (browser) => {
    const { readPushState } = await openBrowser(browser);
    const read = async (devices: object[]) => (await readPushState(devices as never)).state;
    assert.deepEqual(await readPushState([device] as never), { state: 'on', own: 'this' });
    assert.equal(await read([{ ...device, valid: false }]), 'off');
    assert.equal(await read([{ ...device, id: 'other' }]), 'off');
    push.current = null;
    assert.equal(await read([device]), 'off');
    push.current = new Subscription('old');
    Notification.permission = 'default';
    assert.equal(await read([device]), 'off');
    Notification.permission = 'denied';
    assert.equal(await read([device]), 'blocked');
  },
  BROWSER,
);

testInPage(
  'turning on push replaces a subscription with another key, and says where it cannot work',
  async (browser) => {
    const { enablePush, enablingPush } = await openBrowser(browser);
    let tries = 0;
    push.fails = () => {
      tries += 1;
      return tries === 1 ? new DOMException('Another key', 'InvalidStateError') : undefined;
    };
    assert.equal(await enablePush(), true);
    assert.deepEqual([push.ended, own()], [['old'], { id: 'again', endpoint: 'new 1' }]);
    push.fails = () => new DOMException('No network', 'AbortError');
    await assert.rejects(enablePush(), { code: 'push_service_unreachable' });
    assert.equal(enablingPush.value, undefined, 'it no longer waits');
    push.fails = undefined;
    browser.respond = () => 'offline';
    await assert.rejects(enablePush(), { code: 'offline' }, 'it is the service that is out of reach');
    const without = await openBrowser(browser, { key: null });
    assert.equal(await without.enablePush(), false);
    Notification.permission = 'default';
    browser.requests.length = 0;
    assert.equal(await without.enablePush(), true);
    assert.deepEqual([browser.asked, without.enablingPush.value], [[], undefined]);
  },
  BROWSER,
);

testInPage(
  'only the device that is this browser ends its subscription when it is removed',
  async (browser) => {
    const { removeDevice } = await openBrowser(browser);
    await removeDevice('other');
    assert.deepEqual([push.ended, own()], [[], { id: 'this', endpoint: 'old' }]);
    await removeDevice('this');
    assert.deepEqual([push.ended, own()], [['old'], undefined]);
  },
  BROWSER,
);

testInPage(
  'a browser that is signed out of ends its nudges without a network; a new subscription does not bring them back',
  async (browser) => {
    const { unregisterBrowser, renewSubscription } = await openBrowser(browser);
    await renewSubscription(registration as never);
    assert.deepEqual(own(), { id: 'again', endpoint: 'new 1' });
    browser.respond = () => 'offline';
    await assert.rejects(unregisterBrowser());
    assert.deepEqual([push.ended, own()], [['new 1'], undefined]);
    browser.requests.length = 0;
    await renewSubscription(registration as never);
    await unregisterBrowser();
    assert.deepEqual(browser.asked, []);
  },
  BROWSER,
);

testInPage(
  'a service that offers push no longer gets no new subscription',
  async (browser) => {
    const { renewSubscription } = await openBrowser(browser, { key: null });
    await renewSubscription(registration as never);
    assert.deepEqual([push.made, changes(browser.asked), own()], [0, [], { id: 'this', endpoint: 'old' }]);
  },
  BROWSER,
);

testInPage(
  'this browser is checked when the app opens, and again only an hour later',
  async (browser) => {
    await openBrowser(browser);
    const { isSignedIn } = await import('./session.ts');
    const { pushTrouble, startPushChecks } = await import('./push-health.ts');
    isSignedIn.set(true);
    Notification.permission = 'denied';
    startPushChecks();
    await settleAll();
    assert.equal(pushTrouble.value, 'not_allowed');
    pushTrouble.set(undefined);
    const showAgain = async (after: number) => {
      await browser.pass(after);
      tellPage('visibilitychange');
      await settleAll();
      return pushTrouble.value;
    };
    assert.equal(await showAgain(3_599_000), undefined);
    assert.equal(await showAgain(1_000), 'not_allowed');
    Notification.permission = 'granted';
    browser.respond = () => 'offline';
    assert.equal(await showAgain(3_600_000), undefined, 'nothing is known');
    Notification.permission = 'denied';
    assert.equal(await showAgain(3_600_000), 'not_allowed');
    isSignedIn.set(false);
    assert.equal(pushTrouble.value, undefined, 'it was about another account');
    assert.equal(await showAgain(4_000_000), undefined);
  },
  BROWSER,
);
