import { composeAccounts, withDatabase } from './account-admin.ts';
import type { Command } from './command.ts';

export const claim: Command = {
  parameters: [],
  summary: 'Show the word that makes the first administrator',
  explanation:
    'A service that nobody administers prints this word whenever it starts. The person who signs in to the app and\n' +
    'enters it administers from then on, and the word is spent. "crescendo user admin" names an administrator without\n' +
    'it. Works while the service runs.',
  async run(call) {
    const word = await withDatabase(call, (db) => composeAccounts(call, db).claim.findWord());
    const text =
      word === undefined
        ? 'This service has an administrator, or ADMINS names one, so it has no such word.'
        : `${word}\nSign in to the app, and enter this word under Settings.`;
    return { data: { word: word ?? null }, text };
  },
};
