/** The service worker: caches the app for offline use, shows nudges, and runs the actions of their buttons. */
import { renewSubscription } from '../data/own-device.ts';
import { replayQueue } from './background-sync.ts';
import { handleClick, showNudge } from './nudges.ts';
import { cacheShell, deleteOldShells, respondFromCache } from './shell-cache.ts';

declare const self: ServiceWorkerGlobalScope;

self.addEventListener('install', (event) => {
  event.waitUntil(cacheShell().then(() => self.skipWaiting()));
});

self.addEventListener('activate', (event) => {
  event.waitUntil(deleteOldShells().then(() => self.clients.claim()));
});

self.addEventListener('fetch', (event) => {
  const response = respondFromCache(event.request);
  if (response) event.respondWith(response);
});

self.addEventListener('push', (event) => {
  event.waitUntil(showNudge(event.data?.text()));
});

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(handleClick(event.notification, event.action));
});

self.addEventListener('pushsubscriptionchange', (event) => {
  (event as ExtendableEvent).waitUntil(renewSubscription(self.registration));
});

/** Background Sync: fired when the network is back, even when no page of the app is open. */
self.addEventListener('sync', (event) => {
  (event as ExtendableEvent).waitUntil(replayQueue());
});
