/** What a test push shows, where its words are shown as they are. */
export const TEST_TITLE = 'Crescendo can reach you here';
export const TEST_BODY = 'This is the test you asked for. Nothing is due.';
