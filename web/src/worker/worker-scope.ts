/** The worker's own scope, under its own type. */
export const worker = self as unknown as ServiceWorkerGlobalScope;
