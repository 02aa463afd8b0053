/** Reads bodies in the format of HTML forms, for the routes of the given scope only. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { parseForm } from '../lib/form.ts';

export function readFormBodies(app: FastifyInstance, bodyLimit: number): void {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit },
    async (_request: FastifyRequest, body: string) => Object.fromEntries(parseForm(body)),
  );
}
