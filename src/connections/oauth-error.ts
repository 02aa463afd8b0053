/** A refusal in the words of OAuth (RFC 6749, section 5.2). The message goes into `error_description`. */
export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_target'
  | 'unsupported_grant_type'
  | 'invalid_redirect_uri'
  | 'invalid_client_metadata'
  | 'temporarily_unavailable';

export class OAuthError extends Error {
  override readonly name = 'OAuthError';
  readonly error: OAuthErrorCode;

  constructor(error: OAuthErrorCode, message: string) {
    super(message);
    this.error = error;
  }
}
