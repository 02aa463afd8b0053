/** The words about outages. Loaded with the card that needs them. */
export const outageStrings = {
  title: 'The server was away',
  from: (from: string, to: string) => `From ${from} to ${to}. These were late:`,
  planned: (moment: string) => `planned ${moment}`,
  announced: (channel: string) => `probably announced by ${channel}`,
  more: (count: number) => `and ${count} more`,
  dismiss: 'Dismiss',
};
