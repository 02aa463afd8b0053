/** Registered after the first screen stands, so that keeping the app for later costs nobody time now. */
export function registerWorker(): void {
  if (!('serviceWorker' in navigator) || import.meta.env.DEV) return;
  void navigator.serviceWorker.register('/app/sw.js', { scope: '/app' }).catch(() => undefined);
}
