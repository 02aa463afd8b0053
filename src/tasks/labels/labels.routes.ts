import type { Routes } from '../../http/app.ts';
import { sessionOf } from '../../http/authentication.ts';
import { describeRoutes } from '../../http/describe-route.ts';
import { ok } from '../../http/envelope.ts';
import { chargeRows } from '../../http/limit-costs.ts';
import { named, Type } from '../../lib/schema.ts';
import { LabelColour, LabelColours, labelName } from './labels.schemas.ts';
import type { LabelsService } from './labels.service.ts';

const route = describeRoutes('account');
const costlyRoute = describeRoutes('account', { isCostly: true });
/** Storing a colour takes as long as reading about five rows. */
const COST_OF_STORING = 5;
const data = Type.Array(named(LabelColour));

export const labelRoutes =
  (labels: LabelsService): Routes =>
  (app) => {
    for (const schema of [LabelColour, LabelColours]) app.addSchema(schema);

    app.get('/v1/labels', route('list_label_colours', 'List the colours of your labels', { data }), async (request) =>
      ok(await labels.list(sessionOf(request))),
    );

    app.put(
      '/v1/labels',
      costlyRoute('set_label_colours', 'Choose colours for some of your labels; the others keep theirs', {
        body: named(LabelColours),
        data,
        refuses: ['too_many_labels'],
      }),
      async (request) => {
        const { labels: colours, keep_existing = false } = request.body;
        chargeRows(request, colours.length * COST_OF_STORING);
        return ok(await labels.set(sessionOf(request), colours, keep_existing));
      },
    );

    app.delete(
      '/v1/labels',
      route('delete_label_colour', 'Delete the colour of a label, which then has the one that its letters give it', {
        querystring: Type.Object({ label: labelName }),
        data,
      }),
      async (request) => {
        await labels.remove(sessionOf(request), request.query.label);
        return ok(await labels.list(sessionOf(request)));
      },
    );
  };
