/** The `reason` of a delivery that waits, until it is sent: why the nudge falls to it. */
export const UNANSWERED = 'unanswered';
export const FAILED_BEFORE = 'failed_before';
