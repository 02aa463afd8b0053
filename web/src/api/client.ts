/** The client of the service, typed by its OpenAPI description. */
import createClient from 'openapi-fetch';
import { APP_HEADERS } from './call.ts';
import type { components, paths } from './openapi.d.ts';
import { offlineProblem, toProblem } from './problem.ts';
import { withRecentSignIn } from './recent-sign-in.ts';
import { readServiceClock } from './service-clock.ts';

type Schemas = components['schemas'];
export type Task = Schemas['TaskDetailOut'];
export type TaskCreate = Partial<Schemas['TaskCreate']> & Pick<Schemas['TaskCreate'], 'title'>;
export type TaskUpdate = Schemas['TaskUpdate'];
export type MoveRequest = Schemas['MoveRequest'];
export type Settings = Schemas['UserSettingsOut'];
export type SettingsUpdate = Schemas['UserSettingsUpdate'];
export type AgendaEntry = Schemas['AgendaEntryOut'];
export type Nudge = Schemas['NudgeForecast'];
export type LadderBook = Schemas['LadderBookOut'];
export type TaskLadder = Schemas['TaskLadderOut'];
export type LadderChoice = Schemas['LadderChoice'];
export type HeadsUp = Schemas['HeadsUps']['heads_ups'][number];
export type StandIn = Schemas['StandInOut'];
export type StandInRequest = Schemas['StandInRequest'];
export type TaskStandIn = Schemas['TaskStandInOut'];
export type ReachedTask = Schemas['StandInTaskOut'];
export type TimelineEntry = Schemas['TimelineEntry'];
export type Outage = Schemas['OutageOut'];
export type Missed = Schemas['MissedOut'];
export type Outcome = Schemas['OutcomeOut'];
export type Stats = Schemas['StatsOut'];
export type Invite = Schemas['InviteOut'];
export type OpenInvite = Schemas['OpenInviteOut'];
export type Space = Schemas['SpaceOut'];
export type Member = Schemas['MemberOut'];
export type AccessToken = Schemas['TokenOut'];
export type MintedToken = Schemas['TokenMinted'];
export type ConnectionPreview = Schemas['ConnectionPreview'];
export type ConnectionDecision = Schemas['ConnectionDecision'];
export type Device = Schemas['DeviceDetailOut'];
export type Channel = Schemas['ChannelOut'];
export type LabelColour = Schemas['LabelColour'];
export type ChannelKind = Schemas['ChannelKindOut'];
export type ChannelMade = Schemas['ChannelMade'];
export type ChannelUpdate = Schemas['ChannelUpdate'];
export type Understudies = Schemas['UnderstudiesOut'];
export type Person = Schemas['AdminPersonOut'];
export type PersonDetail = Schemas['AdminPersonDetailOut'];
export type Invitation = Schemas['AdminInvitationOut'];
export type Health = Schemas['AdminHealthOut'];
export type ImportReport = Schemas['ImportReport'];
export type MoveIn = Schemas['MoveInOut'];
export type MoveInPreview = Schemas['MoveInPreviewOut'];
export type Passkey = Schemas['PasskeyOut'];
export type Session = Schemas['SessionOut'];
export type Access = Schemas['AccessOut'];
export type SignInResult = Schemas['EmailAuthResult'];

export const api = createClient<paths>({
  headers: APP_HEADERS,
  credentials: 'same-origin',
  // A copy each time, because a request with a body can be sent once.
  fetch: (request) => withRecentSignIn(() => fetch(request.clone())),
});
api.use({ onResponse: ({ response }) => readServiceClock(response.headers) });

interface Answer<T> {
  readonly data?: { readonly data: T } | undefined;
  readonly error?: unknown;
  readonly response: Response;
}

/** Returns the `data` of an answer, or throws a `Problem`. */
export async function unwrap<T>(answer: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await answer.catch(() => {
    throw offlineProblem();
  });
  if (data !== undefined) return data.data;
  throw toProblem(response, error);
}
