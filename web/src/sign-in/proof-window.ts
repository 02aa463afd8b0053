/**
 * A sign-in can be proven again at the identity provider, in a window of its own, so that the page below keeps what was
 * being done. Where that window leads after the sign-in tells it from others.
 */
export const PROOF = '/proof';
