/** Why a nudge falls to a delivery of the next tier. Its `reason` says so until it is sent. */
export const UNANSWERED = 'unanswered';
export const FAILED_BEFORE = 'failed_before';
