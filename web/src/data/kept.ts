/**
 * What the browser keeps between visits, in IndexedDB, for the pages and the service worker alike:
 * deeds that the service has not heard of yet, what became of ids given here, and the last state that was read.
 */
const NAME = 'crescendo';
const STORES = ['deeds', 'refused', 'ids', 'cache'] as const;
type StoreName = (typeof STORES)[number];

let opened: Promise<IDBDatabase> | undefined;

function open(): Promise<IDBDatabase> {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => {
      for (const name of STORES) request.result.createObjectStore(name);
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  return opened;
}

async function within<T>(name: StoreName, mode: IDBTransactionMode, use: (store: IDBObjectStore) => IDBRequest<T>) {
  const db = await open();
  return new Promise<T>((resolve, reject) => {
    const transaction = db.transaction(name, mode);
    const request = use(transaction.objectStore(name));
    // A write counts when its transaction is through, not when it was taken.
    transaction.oncomplete = () => resolve(request.result);
    transaction.onerror = () => reject(transaction.error);
    transaction.onabort = () => reject(transaction.error);
  });
}

export const kept = {
  get: <T>(store: StoreName, key: string) => within<T | undefined>(store, 'readonly', (s) => s.get(key)),
  list: <T>(store: StoreName) => within<T[]>(store, 'readonly', (s) => s.getAll()),
  put: (store: StoreName, key: string, value: unknown) => within(store, 'readwrite', (s) => s.put(value, key)),
  remove: (store: StoreName, key: string) => within(store, 'readwrite', (s) => s.delete(key)),
  clear: (store: StoreName) => within(store, 'readwrite', (s) => s.clear()),
};
