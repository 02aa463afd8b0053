/** The service worker: keeps the app for later, shows nudges, and does what their buttons say. */
import { renewSubscription } from '../data/own-device.ts';
import { actOn, show } from './nudges.ts';
import { answerFromShell, forgetOldShells, keepShell } from './shell-cache.ts';
import { tellKept } from './tell-kept.ts';
import { worker } from './worker-scope.ts';

worker.addEventListener('install', (event) => {
  event.waitUntil(keepShell().then(() => worker.skipWaiting()));
});

worker.addEventListener('activate', (event) => {
  event.waitUntil(forgetOldShells().then(() => worker.clients.claim()));
});

worker.addEventListener('fetch', (event) => {
  const answer = answerFromShell(event.request);
  if (answer) event.respondWith(answer);
});

worker.addEventListener('push', (event) => {
  event.waitUntil(show(event.data?.text()));
});

worker.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(actOn(event.notification, event.action));
});

worker.addEventListener('pushsubscriptionchange', (event) => {
  (event as ExtendableEvent).waitUntil(renewSubscription(worker.registration));
});

/** Fired by the browser once there is a network again, even when no page of the app is open. */
worker.addEventListener('sync', (event) => {
  (event as ExtendableEvent).waitUntil(tellKept());
});
