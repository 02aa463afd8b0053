import { Readable } from 'node:stream';
import { Type } from 'typebox';
import type { App, Routes } from '../http/app.ts';
import { sessionOf } from '../http/authentication.ts';
import { departureOf } from '../http/departure.ts';
import { envelopeOf, ok } from '../http/envelope.ts';
import { AppError, InvalidInput } from '../lib/errors.ts';
import { named } from '../lib/schema.ts';
import { ArchiveOut, ImportReport } from './archive.schemas.ts';
import type { ExportService } from './export.service.ts';
import type { ImportService } from './import.service.ts';
import { ImportedFile } from './imported-file.ts';
import type { FileKind } from './read-document.ts';
import { UploadGate, type Visit } from './upload-gate.ts';

const tags = ['account'];

const ExportQuery = Type.Object({
  importable: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Without timelines, and no more than one import takes; `next_after` says how to get the rest.',
    }),
  ),
  after: Type.Optional(Type.String({ format: 'uuid', description: 'Begin after this task, with an importable part.' })),
});

const IMPORT_LIMIT_BYTES = 25 * 1024 * 1024;

/** A large document over a slow line; what is not through by then is cut off. */
const EXPORT_TIMEOUT_MS = 3_600_000;

export const archiveRoutes =
  (exports: ExportService, imports: ImportService): Routes =>
  (app) => {
    for (const schema of [ArchiveOut, ImportReport]) app.addSchema(schema);
    addExport(app, exports);
    // Bodies are read differently here and nowhere else, so this route has a context of its own.
    app.register(async (scope) => {
      takeFiles(scope as App);
      addImport(scope as App, imports);
    });
  };

function addExport(app: App, exports: ExportService): void {
  app.get(
    '/v1/me/export',
    {
      handlerTimeout: EXPORT_TIMEOUT_MS,
      schema: {
        ...{ operationId: 'export_account', tags, summary: 'Take everything of your account along, as one document' },
        querystring: ExportQuery,
        response: { 200: envelopeOf(named(ArchiveOut)) },
      },
    },
    async (request, reply) => {
      const { importable: isImportable = false, after } = request.query;
      const extent = { isImportable: isImportable || after !== undefined, after: after?.toLowerCase() };
      const { day, text } = exports.begin(sessionOf(request), request.ip, extent);
      reply
        .header('cache-control', 'no-store')
        .header('content-disposition', `attachment; filename="crescendo-${day}.json"`)
        .type('application/json; charset=utf-8');
      // A failure in the middle cuts the connection, so that half a document never looks like a whole one.
      return reply.send(Readable.from(text, { objectMode: false }) as never);
    },
  );
}

function addImport(app: App, imports: ImportService): void {
  app.post(
    '/v1/me/import',
    {
      bodyLimit: IMPORT_LIMIT_BYTES,
      config: { refuses: ['payload_too_large', 'unsupported_media_type', 'request_in_progress', 'overloaded'] },
      schema: {
        ...{ operationId: 'import_tasks', tags, summary: 'Bring tasks in from an export or an iCalendar file' },
        querystring: Type.Object({
          partial: Type.Optional(
            Type.Boolean({ default: false, description: 'Import the others where some are refused.' }),
          ),
          from: Type.Optional(
            Type.Integer({
              ...{ minimum: 0, maximum: 10_000_000, default: 0 },
              description: 'At which task of the file to begin, as an earlier report said in `next`.',
            }),
          ),
        }),
        body: {
          content: {
            'application/json': { schema: Type.Object({}, { additionalProperties: true }) },
            'text/calendar': { schema: Type.Unsafe<unknown>({}) },
          },
        },
        response: { 200: envelopeOf(named(ImportReport)) },
      },
    },
    async (request, reply) => {
      const file: unknown = request.body;
      if (!(file instanceof ImportedFile)) throw nothingSent();
      const { partial: isPartial = false, from = 0 } = request.query;
      const document = { bytes: file.bytes, kind: file.kind, from };
      const asked = { document, isPartial, address: request.ip, departed: departureOf(reply) };
      const bring = () => imports.import(sessionOf(request), asked);
      return ok(await (visits.get(request)?.during(bring) ?? bring()));
    },
  );
}

/** The place that a request has taken. */
const visits = new WeakMap<object, Visit>();

function takeFiles(app: App): void {
  const gate = new UploadGate();
  // Before the body is read: what is turned away takes no memory.
  app.addHook('onRequest', async (request, reply) => {
    const visit = gate.enter(sessionOf(request).userId);
    visits.set(request, visit);
    reply.raw.once('close', () => visit.departed());
  });
  app.removeAllContentTypeParsers();
  const take = (kind: FileKind) => async (_request: unknown, bytes: Buffer) =>
    bytes.length === 0 ? undefined : new ImportedFile(bytes, kind);
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, take('json'));
  app.addContentTypeParser('text/calendar', { parseAs: 'buffer' }, take('calendar'));
  app.addContentTypeParser(
    '*',
    { parseAs: 'buffer' },
    async (request: { headers: Record<string, unknown> }, bytes: Buffer) => {
      if (request.headers['content-type']) {
        throw new AppError('unsupported_media_type', {
          sentence: 'The body must be application/json or text/calendar.',
        });
      }
      return take('json')(request, bytes);
    },
  );
}

const nothingSent = () => new InvalidInput({ type: 'missing', loc: ['body'], msg: 'There is no document in the body' });
