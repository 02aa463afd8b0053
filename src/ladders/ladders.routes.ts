import type { LadderBook } from '../escalation/choose-ladder.ts';
import { PRESET_NAMES, PRESETS } from '../escalation/presets.ts';
import { readNamedChoice } from '../escalation/read-choice.ts';
import type { App, Routes } from '../http/app.ts';
import { callerOf, sessionOf } from '../http/authentication.ts';
import { describeRoutes } from '../http/describe-route.ts';
import { ok } from '../http/envelope.ts';
import { named, Type } from '../lib/schema.ts';
import {
  LabelLadderRequest,
  LadderBookOut,
  LadderCreate,
  LadderNameRequest,
  LadderOut,
  LadderUpdate,
  label,
} from './ladders.schemas.ts';
import type { LaddersService } from './ladders.service.ts';

const route = describeRoutes('ladders');
const params = Type.Object({ ladder_id: Type.String({ format: 'uuid' }) });

const presets = PRESET_NAMES.map((preset) => ({ preset, ...PRESETS[preset] }));
const toOut = ({ own, labels, default: chosen }: LadderBook) => ({
  presets,
  ladders: [...own],
  labels: [...labels],
  default: chosen,
});

export const ladderRoutes =
  (ladders: LaddersService): Routes =>
  (app) => {
    for (const schema of [LadderCreate, LadderUpdate, LadderNameRequest, LabelLadderRequest, LadderOut, LadderBookOut])
      app.addSchema(schema);
    addOwnLadderRoutes(app, ladders);
    addChoiceRoutes(app, ladders);
  };

function addOwnLadderRoutes(app: App, ladders: LaddersService): void {
  app.get(
    '/v1/ladders',
    route('list_ladders', 'List the ladders: of the service, of your own, of your labels, and your default', {
      data: named(LadderBookOut),
    }),
    async (request) => ok(toOut(await ladders.list(callerOf(request)))),
  );
  app.post(
    '/v1/ladders',
    route('create_ladder', 'Make a ladder of your own', {
      body: named(LadderCreate),
      data: named(LadderOut),
      refuses: ['too_many_ladders'],
    }),
    async (request) => ok(await ladders.create(sessionOf(request), request.body)),
  );
  app.patch(
    '/v1/ladders/:ladder_id',
    route('update_ladder', 'Change a ladder of your own; omitted fields keep their values', {
      params,
      body: named(LadderUpdate),
      data: named(LadderOut),
    }),
    async (request) => ok(await ladders.update(sessionOf(request), request.params.ladder_id, request.body)),
  );
  app.delete(
    '/v1/ladders/:ladder_id',
    route('delete_ladder', 'Delete a ladder of your own; what had it gets the next one that is chosen', {
      params,
      data: Type.Object({ deleted: Type.Boolean() }),
    }),
    async (request) => {
      await ladders.delete(sessionOf(request), request.params.ladder_id);
      return ok({ deleted: true });
    },
  );
}

function addChoiceRoutes(app: App, ladders: LaddersService): void {
  app.put(
    '/v1/ladders/default',
    route('set_default_ladder', 'Choose the ladder of all tasks that have no other', {
      body: named(LadderNameRequest),
      data: named(LadderBookOut),
    }),
    async (request) => ok(toOut(await ladders.setDefault(sessionOf(request), readNamedChoice(request.body)))),
  );
  app.delete(
    '/v1/ladders/default',
    route('unset_default_ladder', 'Go back to the default of the service', { data: named(LadderBookOut) }),
    async (request) => ok(toOut(await ladders.setDefault(sessionOf(request), null))),
  );
  app.put(
    '/v1/ladders/labels',
    route('set_label_ladder', 'Choose the ladder of the tasks with a label', {
      body: named(LabelLadderRequest),
      data: named(LadderBookOut),
      refuses: ['too_many_labels'],
    }),
    async (request) => {
      const { label: chosen, ...name } = request.body;
      return ok(toOut(await ladders.setLabel(sessionOf(request), chosen, readNamedChoice(name))));
    },
  );
  app.delete(
    '/v1/ladders/labels',
    route('unset_label_ladder', 'Let a label choose no ladder any more', {
      querystring: Type.Object({ label }),
      data: named(LadderBookOut),
    }),
    async (request) => ok(toOut(await ladders.setLabel(sessionOf(request), request.query.label, null))),
  );
}
