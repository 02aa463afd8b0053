import { Store } from '../data/store.ts';

/** Words that another part of the screen puts into the field for a new task. The field takes them and clears this. */
export const draft = new Store<string | undefined>(undefined);
