import type { Routes } from '../http/app.ts';
import { sessionOf } from '../http/authentication.ts';
import { describeRoutes } from '../http/describe-route.ts';
import { ok } from '../http/envelope.ts';
import { named } from '../lib/schema.ts';
import { UnderstudiesOut } from './understudies.schemas.ts';
import type { UnderstudyReports } from './understudy-reports.service.ts';

const route = describeRoutes('channels');

/** `explain` turns the reason of a channel into a sentence. */
export const understudyRoutes =
  (reports: UnderstudyReports, explain: (reason: string) => string): Routes =>
  (app) => {
    app.addSchema(UnderstudiesOut);
    app.get(
      '/v1/me/understudies',
      route('read_understudies', 'Read which messages are held elsewhere, to be shown if the service falls silent', {
        data: named(UnderstudiesOut),
      }),
      async (request) => {
        const view = await reports.ofPerson(sessionOf(request).userId);
        return ok({ ...view, problem: view.reason && explain(view.reason) });
      },
    );
  };
