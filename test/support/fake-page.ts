/** What the modules of a page use of it beside its network and database, for tests that run them without a browser. */
import { testInBrowser } from './fake-browser.ts';

/** Its keys are its own properties, as a browser's are. */
export function fakeStorage(): Storage {
  const methods = {
    getItem: (key: string) => (Object.hasOwn(stored, key) ? stored[key] : null),
    setItem: (key: string, text: string) => void Object.assign(stored, { [key]: String(text) }),
    removeItem: (key: string) => void delete stored[key],
  };
  const stored: Record<string, string> = Object.create(methods);
  return stored as unknown as Storage;
}

type Listener = (event: object) => void;

export function fakeListeners() {
  const listeners = new Map<string, Listener[]>();
  const addEventListener = (type: string, listener: Listener) =>
    void listeners.getOrInsertComputed(type, () => []).push(listener);
  const removeEventListener = (type: string, listener: Listener) =>
    void listeners.set(
      type,
      (listeners.get(type) ?? []).filter((one) => one !== listener),
    );
  /** Tells whatever listens. */
  const tell = (type: string, event: object = {}): void => {
    for (const listener of listeners.get(type) ?? []) listener(event);
  };
  return { addEventListener, removeEventListener, tell };
}

const { addEventListener, removeEventListener, tell } = fakeListeners();
export const tellPage = tell;

/** Shared, because a module that is loaded listens, and reads what the browser keeps, once. */
const storages = { localStorage: fakeStorage(), sessionStorage: fakeStorage() };
export const page = {
  ...storages,
  addEventListener,
  removeEventListener,
  document: { addEventListener, removeEventListener, visibilityState: 'visible' },
};

export function testInPage(name: string, run: Parameters<typeof testInBrowser>[1], more: object = {}): void {
  const runInPage: typeof run = (browser) => {
    for (const storage of Object.values(storages)) for (const key of Object.keys(storage)) storage.removeItem(key);
    page.document.visibilityState = 'visible';
    return run(browser);
  };
  testInBrowser(name, runInPage, { ...page, ...more });
}
