/** Which mails to owners, and which ends of a delay, are due: each for one process, and none too late to matter. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newId } from '../../src/lib/ids.ts';
import {
  claimChangeMail,
  findNextChangeMailAt,
  insertAddressChange,
  listUnsentChanges,
  setChangeMailed,
} from '../../src/sign-in/address/address-changes.store.ts';
import {
  claimResetMail,
  deleteResetsBy,
  findNextResetAt,
  findReset,
  insertReset,
  listDueResets,
  listResetsToMail,
  setResetMailed,
  takeDueReset,
} from '../../src/sign-in/second-factor-resets.store.ts';
import { onlyOn } from '../support/engines.ts';
import { createPerson } from '../support/people.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

/** Long after the time of the service, so that its own loop finds none of this due. */
const NOON = Date.parse('2030-01-01T12:00:00Z');
const at = (minutes: number) => new Date(NOON + minutes * 60_000);
const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);

onlyOn('sqlite', () => {
  let app: TestApp;
  before(async () => {
    app = await startTestApp('sqlite');
  });
  after(() => app[Symbol.asyncDispose]());

  test('the mail about a new address is claimed by one process, until it is sent or its link has expired', async () => {
    const { db } = app;
    const { userId: user_id } = await createPerson(app);
    const add = async (mail_due_at: Date, expires_at: Date) => {
      const change = {
        id: newId(),
        user_id,
        old_email: 'old@home.test',
        new_email: 'new@home.test',
        changed_at: at(0),
      };
      await insertAddressChange(db, { ...change, expires_at, mail_due_at });
      return change.id;
    };
    await add(at(-9), at(0));
    const [first, second] = [await add(at(-5), at(60)), await add(at(0), at(60))];
    assert.deepEqual(idsOf(await listUnsentChanges(db, at(0), 9)).sort(), [first, second].sort());
    assert.deepEqual(await findNextChangeMailAt(db, at(0)), at(-5));
    assert.equal(await claimChangeMail(db, first, at(0), at(5)), true);
    assert.equal(await claimChangeMail(db, first, at(0), at(5)), false);
    assert.equal(await claimChangeMail(db, first, at(5), at(10)), true);
    await setChangeMailed(db, second);
    assert.deepEqual(idsOf(await listUnsentChanges(db, at(9), 9)), []);
    assert.deepEqual(await findNextChangeMailAt(db, at(9)), at(10));
    assert.equal(await findNextChangeMailAt(db, at(60)), null);
  });

  test('a second factor is turned off by one process, when its delay is over, and never if its owner was not told', async () => {
    const { db } = app;
    const ask = async (told_at: Date | null, due_at: Date, mail_due_at: Date | null = null) => {
      const { userId: user_id } = await createPerson(app);
      const reset = {
        id: newId(),
        user_id,
        requested_by: user_id,
        requested_at: at(-99),
        told_at,
        due_at,
        mail_due_at,
      };
      await insertReset(db, reset);
      return reset.id;
    };
    const untold = await ask(null, at(-60), at(30));
    const [due, late, later] = [await ask(at(-90), at(0)), await ask(at(-90), at(-1)), await ask(at(-90), at(1))];
    assert.deepEqual(idsOf(await listDueResets(db, at(0), 9)), [late, due]);
    assert.deepEqual(idsOf(await listDueResets(db, at(0), 1)), [late]);
    for (const id of [untold, later]) assert.equal(await takeDueReset(db, id, at(0)), false);
    for (const isTaken of [true, false]) assert.equal(await takeDueReset(db, due, at(0)), isTaken);
    assert.equal(await takeDueReset(db, late, at(0)), true);
    assert.deepEqual(await findNextResetAt(db), at(1));
    assert.equal(await takeDueReset(db, later, at(1)), true);
    assert.deepEqual(await findNextResetAt(db), at(30));

    assert.deepEqual(idsOf(await listResetsToMail(db, at(29), 9)), []);
    assert.deepEqual(idsOf(await listResetsToMail(db, at(30), 9)), [untold]);
    assert.equal(await claimResetMail(db, untold, at(29), at(35)), false);
    for (const isClaimed of [true, false]) assert.equal(await claimResetMail(db, untold, at(30), at(35)), isClaimed);
    await setResetMailed(db, untold, { told_at: at(30), due_at: at(90), mail_due_at: at(60) });
    assert.deepEqual(await findNextResetAt(db), at(60));
    await setResetMailed(db, untold, { told_at: at(30), due_at: at(90), mail_due_at: null });
    assert.deepEqual(await findNextResetAt(db), at(90));
  });

  test('what one administrator asked for ends with that one, and what another asked for goes on', async () => {
    const { db } = app;
    const [gone, other] = [await createPerson(app), await createPerson(app)];
    const askedBy = async ({ userId: requested_by }: { readonly userId: string }) => {
      const { userId: user_id } = await createPerson(app);
      const times = { requested_at: at(0), told_at: at(0), due_at: at(60), mail_due_at: null };
      await insertReset(db, { id: newId(), user_id, requested_by, ...times });
      return user_id;
    };
    const [first, second] = [await askedBy(gone), await askedBy(other)];
    await deleteResetsBy(db, gone.userId);
    assert.equal(await findReset(db, first), undefined);
    assert.equal((await findReset(db, second))?.requested_by, other.userId);
  });
});
