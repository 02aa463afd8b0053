/** What the app stores in the browser, in IndexedDB. Pages and the service worker share it. */
const NAME = 'crescendo';

/** The name of each store in the code → in the database, where it must not change. */
const STORES = {
  /** Actions that the service has not confirmed, by idempotency key. */
  actions: 'deeds',
  /** Actions that the service refused, until the user dismisses them. */
  refusals: 'refused',
  /** The ids of tasks and bulk changes in this browser → the ids that the service assigned. */
  taskIds: 'ids',
  /** The last state read from the service, and facts about this browser. */
  cache: 'cache',
} as const;
type StoreName = keyof typeof STORES;

let opened: Promise<IDBDatabase> | undefined;

/** A browser that could not open its database, or has closed it, may open it the next time. */
const forget = () => {
  opened = undefined;
};

function open(): Promise<IDBDatabase> {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => {
      for (const name of Object.values(STORES)) request.result.createObjectStore(name);
    };
    request.onsuccess = () => {
      request.result.onclose = forget;
      resolve(request.result);
    };
    request.onerror = () => {
      forget();
      reject(request.error);
    };
  });
  return opened;
}

async function transact<T>(name: StoreName, mode: IDBTransactionMode, run: (store: IDBObjectStore) => IDBRequest<T>) {
  const db = await open();
  return new Promise<T>((resolve, reject) => {
    const transaction = db.transaction(STORES[name], mode);
    const request = run(transaction.objectStore(STORES[name]));
    // A write is durable when its transaction completes, not when its request succeeds.
    transaction.oncomplete = () => resolve(request.result);
    transaction.onerror = () => reject(transaction.error);
    transaction.onabort = () => reject(transaction.error);
  });
}

export const localDatabase = {
  get: <T>(store: StoreName, key: string) => transact<T | undefined>(store, 'readonly', (s) => s.get(key)),
  list: <T>(store: StoreName) => transact<T[]>(store, 'readonly', (s) => s.getAll()),
  put: (store: StoreName, key: string, value: unknown) => transact(store, 'readwrite', (s) => s.put(value, key)),
  remove: (store: StoreName, key: string) => transact(store, 'readwrite', (s) => s.delete(key)),
  clear: (store: StoreName) => transact(store, 'readwrite', (s) => s.clear()),
};
