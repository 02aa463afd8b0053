/** Who asks to sign in, as far as the service can tell before the sign-in. */
export interface Requester {
  /** The IP address of the request. */
  readonly address: string;
  /** The token of the sign-in request, if the client sent it. */
  readonly token: string | undefined;
  /** The header, from which the session gets its name. */
  readonly userAgent: string | undefined;
}
