/** The service, listening as in production. */
import type { AddressInfo } from 'node:net';
import { listen } from '../../src/http/listen.ts';
import { startBenchService } from '../bench-service.ts';
import { serveParent } from '../child.ts';

export interface ServerSettings {
  readonly databaseUrl: string;
}

export type ServerMethods = { readonly port: () => number };

await serveParent(async ({ databaseUrl }: ServerSettings) => {
  // All of 32 callers are to be answered, on a busy machine too: none is refused because it waited too long.
  const limits = { maxWaitMs: Number.POSITIVE_INFINITY };
  const service = await startBenchService({ DATABASE_URL: databaseUrl }, { limits });
  await listen(service.app, { port: 0, host: '127.0.0.1' });
  const { port } = service.app.server.address() as AddressInfo;
  return { methods: { port: () => port } satisfies ServerMethods, close: () => service.close() };
});
