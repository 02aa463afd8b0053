/** What a 401 asks for. */
export const CHALLENGE = 'Bearer realm="crescendo"';
