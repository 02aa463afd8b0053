/** What the app says while nobody administers the service. Apart, because few people ever see it. */
export const claimStrings = {
  title: 'Make this service yours',
  lead: 'Nobody administers this service yet. If you run it, enter the word that it printed when it started.',
  word: 'Word from the terminal',
  hint: '“crescendo claim” shows it again on the machine of the service.',
  example: 'XXXXX-XXXXX-XXXXX-XXXXX',
  claim: 'Make it mine',
  later: 'Not now',
  claimed: 'You administer this service now',
};
