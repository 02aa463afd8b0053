/** Asks the service, with the types of its own description. */
import createClient from 'openapi-fetch';
import { APP_HEADERS } from './call.ts';
import type { components, paths } from './openapi.d.ts';
import { offline, problemOf } from './problem.ts';

type Schemas = components['schemas'];
export type Task = Schemas['TaskDetailOut'];
export type TaskCreate = Partial<Schemas['TaskCreate']> & Pick<Schemas['TaskCreate'], 'title'>;
export type TaskUpdate = Schemas['TaskUpdate'];
export type Settings = Schemas['UserSettingsOut'];
export type SettingsUpdate = Schemas['UserSettingsUpdate'];
export type Nudge = Schemas['NudgeForecast'];
export type TimelineEntry = Schemas['TimelineEntry'];
export type Outcome = Schemas['OutcomeOut'];
export type Stats = Schemas['StatsOut'];
export type Invite = Schemas['InviteOut'];
export type AccessToken = Schemas['TokenOut'];
export type MintedToken = Schemas['TokenMinted'];
export type Device = Schemas['DeviceDetailOut'];
export type ImportReport = Schemas['ImportReport'];
export type Session = Schemas['SessionOut'];
export type SignInResult = Schemas['EmailAuthResult'];

export const api = createClient<paths>({ headers: APP_HEADERS, credentials: 'same-origin' });

interface Answer<T> {
  readonly data?: { readonly data: T } | undefined;
  readonly error?: unknown;
  readonly response: Response;
}

/** The payload of an answer, or a Problem. */
export async function read<T>(asked: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await asked.catch(() => {
    throw offline();
  });
  if (data !== undefined) return data.data;
  throw problemOf(response, error);
}
