/**
 * There was no answer. The reason may be shown to the person who chose the address, so it never tells what a name in our
 * own network leads to.
 */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  /** A code of Node.js in lower case such as `econnrefused`, or `timeout`, `closed`, `no_answer`, `endpoint_not_allowed`. */
  readonly reason: string;

  constructor(reason: string, cause?: unknown) {
    super(reason, { cause });
    this.reason = reason;
  }

  /** The list of allowed hosts has no place for the address. Trying again does not help. */
  get isRefused(): boolean {
    return this.reason === NOT_ALLOWED;
  }
}

export const NOT_ALLOWED = 'endpoint_not_allowed';
