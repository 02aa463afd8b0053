/** The words about nudges that quiet hours or a pause hold. Loaded where something is held. */
type Reason = readonly ('quiet_hours' | 'pause')[];

const REASONS = { quiet_hours: 'your quiet hours', pause: 'your pause' };

const SHORT = { quiet_hours: 'quiet hours', pause: 'pause' };

const because = (by: Reason): string =>
  by.length === 0 ? '' : ` because of ${by.map((name) => REASONS[name]).join(' and ')}`;

const inBrackets = (by: Reason): string => (by.length === 0 ? '' : ` (${by.map((name) => SHORT[name]).join(', ')})`);

export const heldStrings = {
  rings: (when: string, by: Reason) => `rings ${when}${because(by)}`,
  note: (when: string, by: Reason) => `It rings ${when}${because(by)}.`,
  // Short: a toast has three lines, and a button beside them.
  added: (when: string, by: Reason) => `Added. Rings ${when}${inBrackets(by)}.`,
  addedSilent: (when: string) => `Added. Rings ${when}, but nothing reaches you then: see Settings`,
  snoozed: (when: string, by: Reason) => `Snoozed. Rings ${when}${inBrackets(by)}.`,
  ringAnyway: 'Ring anyway',
  ringAnywayNamed: (title: string) => `Ring anyway: ${title}`,
  ringAnywayAt: (choice: string) => `${choice}, ring anyway`,
  once: 'Ring anyway this once',
  always: 'Make it must not miss',
  ringsOnce: (when: string) => `It rings ${when}, this once in spite of what holds it.`,
  willRing: (when: string) => `It rings ${when}`,
  holdAgain: 'Hold it again',
};
