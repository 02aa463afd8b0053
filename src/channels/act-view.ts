/** What a link or button of a message can do, and what its page shows. */
export const LINK_ACTIONS = [
  'done',
  'snooze',
  'seen',
  'undo',
  'stop',
  'confirm',
  'accept',
  'decline',
  'leave',
] as const;
export type LinkAction = (typeof LINK_ACTIONS)[number];

/** What the page shows. */
export type ActState =
  /** The buttons. */
  | 'ready'
  | 'done'
  | 'snoozed'
  /** Quiet hours or a pause hold it for longer than the snooze. */
  | 'snoozed_held'
  | 'seen'
  | 'undone'
  | 'stopped'
  /** The occurrence was dealt with in another way, or the task has moved on. */
  | 'passed'
  | 'too_late_to_undo'
  /** The buttons of a request. */
  | 'asked'
  | 'accepted'
  | 'declined'
  /** The request was answered or taken back. */
  | 'request_gone'
  /** The buttons of a message that asks a person to stand in. */
  | 'asked_to_stand_in'
  | 'agreed_to_stand_in'
  | 'refused_to_stand_in'
  /** The person does not stand in any more. */
  | 'left'
  /** An answer to a request of the person's own. */
  | 'told'
  | 'expired'
  | 'unknown'
  | 'to_confirm'
  | 'confirmed'
  | 'wrong_code';

export interface ActView {
  readonly state: ActState;
  /**
   * What the message of the link showed; null if it hid the title, or the task has another one by now. Its owner, signed
   * in, sees the title that it has.
   */
  readonly title: string | null;
  /** What a message without a title calls the task. */
  readonly code?: string;
  /** For the way into the app, where the owner sees the task as it is now. */
  readonly taskId?: string;
  /** For a stand-in: whose task it is. */
  readonly standsInFor?: string;
}
