import type { App, Routes } from '../http/app.ts';
import { sessionOf } from '../http/authentication.ts';
import { callerLeftSignal } from '../http/caller-left.ts';
import { describeRoutes } from '../http/describe-route.ts';
import { ok } from '../http/envelope.ts';
import { chargeRows } from '../http/limit-costs.ts';
import { sendStream } from '../http/streamed-answer.ts';
import { AppError } from '../lib/errors.ts';
import { MAX_BYTES, named, Type } from '../lib/schema.ts';
import { acceptUploads, requireFile, UploadedFile } from './accept-uploads.ts';
import { ArchiveOut, ImportReport } from './archive.schemas.ts';
import type { ExportService } from './export.service.ts';
import type { ImportService } from './import.service.ts';
import type { FileFormat } from './read-document.ts';
import type { UploadSlots } from './upload-slots.ts';

const route = describeRoutes('account', { isCostly: true });

const ExportQuery = Type.Object({
  importable: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Leave out timelines and writers, and return no more than one import accepts. `next_after` requests the next part.',
    }),
  ),
  after: Type.Optional(
    Type.String({ format: 'uuid', description: 'Start after the task with this id. Implies `importable`.' }),
  ),
});

const IMPORT_LIMIT_BYTES = 25 * 1024 * 1024;

export const archiveRoutes =
  (exports: ExportService, imports: ImportService, uploads: UploadSlots): Routes =>
  (app) => {
    for (const schema of [ArchiveOut, ImportReport]) app.addSchema(schema);
    addExport(app, exports);
    // Only this route reads its body as a file, so it has a Fastify context of its own.
    app.register(async (scope) => {
      acceptFiles(scope as App, uploads);
      addImport(scope as App, imports);
    });
  };

function addExport(app: App, exports: ExportService): void {
  app.get(
    '/v1/me/export',
    route('export_account', 'Export all data of your account as one document', {
      querystring: ExportQuery,
      data: named(ArchiveOut),
      needsRecentSignIn: true,
    }),
    async (request, reply) => {
      const { importable: isImportable = false, after } = request.query;
      const range = {
        isImportable: isImportable || after !== undefined,
        after: after?.toLowerCase(),
        charge: (rows: number) => chargeRows(request, rows),
      };
      const { day, text } = exports.begin(sessionOf(request), request.ip, range);
      reply
        .header('cache-control', 'no-store')
        .header('content-disposition', `attachment; filename="crescendo-${day}.json"`);
      return sendStream(request, reply, text) as never;
    },
  );
}

function addImport(app: App, imports: ImportService): void {
  app.post(
    '/v1/me/import',
    {
      ...route('import_tasks', 'Import tasks from an export or an iCalendar file', {
        querystring: Type.Object({
          partial: Type.Optional(
            Type.Boolean({ default: false, description: 'If some tasks are refused, import the others.' }),
          ),
          from: Type.Optional(
            Type.Integer({
              minimum: 0,
              maximum: 10_000_000,
              default: 0,
              description: 'The index of the first task to import: `next` of the previous report.',
            }),
          ),
        }),
        body: {
          content: {
            'application/json': {
              schema: Type.Object({}, { additionalProperties: true, [MAX_BYTES]: IMPORT_LIMIT_BYTES }),
            },
            'text/calendar': { schema: Type.Unsafe<unknown>({ [MAX_BYTES]: IMPORT_LIMIT_BYTES }) },
          },
        },
        data: named(ImportReport),
        refuses: [
          'payload_too_large',
          'unsupported_media_type',
          'request_in_progress',
          'idempotency_key_spent',
          'too_many_open_tasks',
          'too_many_tasks',
          'overloaded',
        ],
      }),
      bodyLimit: IMPORT_LIMIT_BYTES,
    },
    async (request, reply) => {
      const file = requireFile(request.body);
      const { partial: isPartial = false, from = 0 } = request.query;
      const document = { bytes: file.takeBytes(), format: file.kind as FileFormat, from };
      const asked = { document, isPartial, address: request.ip, callerLeft: callerLeftSignal(reply) };
      const run = async () => {
        const { report, cost } = await imports.import(sessionOf(request), asked);
        chargeRows(request, cost);
        return report;
      };
      return ok(await (request.uploadSlot?.use(run) ?? run()));
    },
  );
}

function acceptFiles(app: App, uploads: UploadSlots): void {
  acceptUploads(app, uploads);
  const accept = (format: FileFormat) => async (_request: unknown, bytes: Buffer) =>
    bytes.length === 0 ? undefined : new UploadedFile(bytes, format);
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, accept('json'));
  app.addContentTypeParser('text/calendar', { parseAs: 'buffer' }, accept('calendar'));
  app.addContentTypeParser(
    '*',
    { parseAs: 'buffer' },
    async (request: { headers: Record<string, unknown> }, bytes: Buffer) => {
      if (bytes.length > 0 && request.headers['content-type']) {
        throw new AppError('unsupported_media_type', {
          sentence: 'The body must be application/json or text/calendar.',
        });
      }
      return accept('json')(request, bytes);
    },
  );
}
