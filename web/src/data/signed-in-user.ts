/**
 * The id of the account that this browser is signed in to, for the service worker: it queues actions for
 * this account and sends no others. Signing out clears it together with the rest of the cache.
 */
import { localDatabase } from './local-database.ts';

const KEY = 'user';

export const findSignedInUser = () => localDatabase.get<string>('cache', KEY);
export const storeSignedInUser = (userId: string) => localDatabase.put('cache', KEY, userId);
export const clearSignedInUser = () => localDatabase.remove('cache', KEY);
