/** Shows requests with names, and switches the messages about them on and off. */
import type { Static } from 'typebox';
import type { Db } from '../../db/schema.ts';
import { announce } from '../../db/transact.ts';
import type { SessionCaller } from '../../lib/caller.ts';
import type { RequestOut } from './requests.schemas.ts';
import { hearsRequests, type ListedRequest, listRequests, setHearsRequests } from './requests.store.ts';

/** Of each direction. A list for people, who see the rest in the list of tasks. */
const MOST_LISTED = 100;

export class RequestsService {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  async list({ userId }: SessionCaller): Promise<Static<typeof RequestOut>[]> {
    const toMe = await listRequests(this.#db, userId, 'to_me', MOST_LISTED);
    const fromMe = await listRequests(this.#db, userId, 'from_me', MOST_LISTED);
    const listed = [...toMe.map((row) => toOut(row, 'to_me')), ...fromMe.map((row) => toOut(row, 'from_me'))];
    return listed.toSorted((a, b) => b.asked_at.getTime() - a.asked_at.getTime());
  }

  async getSwitch({ userId }: SessionCaller): Promise<boolean> {
    return hearsRequests(this.#db, userId);
  }

  async setSwitch({ userId }: SessionCaller, isOn: boolean): Promise<void> {
    await setHearsRequests(this.#db, userId, isOn);
    announce(this.#db, [userId]);
  }
}

const toOut = (row: ListedRequest, direction: 'to_me' | 'from_me') => ({
  ...row,
  direction,
  messages_sent: Number(row.messages_sent ?? 0),
  unanswered: Number(row.unanswered ?? 0) > 0,
});
