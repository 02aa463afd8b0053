/**
 * What each sealed text is bound to. The same words must be said to open it, and to seal it anew with
 * another key: changing one of them makes everything that was sealed with it unreadable.
 */
export const totpContext = (userId: string) => `totp of ${userId}`;

/** Of an identity, or of a revocation that outlived one. */
export const refreshTokenContext = (id: string) => `refresh token ${id}`;

export const answerContext = (userId: string, keyHash: string) => `answer ${userId} ${keyHash}`;
