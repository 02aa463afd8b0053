/** Bodies as browsers and identity providers post forms. Only in the scope of the app that it is called for. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { parseForm } from '../lib/form.ts';

export function readFormBodies(app: FastifyInstance, bodyLimit: number): void {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit },
    async (_request: FastifyRequest, body: string) => Object.fromEntries(parseForm(body)),
  );
}
