/**
 * The context that each sealed value is bound to. Opening and resealing need the same context: changing
 * one of these strings makes every value sealed with it unreadable.
 */
export const totpContext = (userId: string) => `totp of ${userId}`;

/** `id` is the id of an identity, or of a revocation. */
export const refreshTokenContext = (id: string) => `refresh token ${id}`;

export const answerContext = (userId: string, keyHash: string) => `answer ${userId} ${keyHash}`;

export const channelContext = (id: string) => `channel ${id}`;

/** Sealed for the browser or the app and never stored, so a rotation has nothing to do for them. */
export const PROVIDER_TICKET_CONTEXT = 'sign-in of the web app at an identity provider';
export const PROVIDER_HINT_CONTEXT = 'sign-out of the web app at an identity provider';
export const PROVIDER_REQUEST_CONTEXT = 'sign-in of an app with a token of an identity provider';
