/** A task of an iCalendar file that cannot be taken in. The message is for its owner, and never repeats a value. */
export class UnreadableTodo extends Error {
  override readonly name = 'UnreadableTodo';
}
