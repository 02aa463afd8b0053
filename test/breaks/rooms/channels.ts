import type { RoomBreak } from '../room-break.ts';

const ACT = 'src/channels/act.service.ts';
const SERVICE = 'src/channels/channels.service.ts';
const CONFIRM = 'src/channels/confirmations.service.ts';
const by = ['contract/channels', 'contract/channel-proofs', 'contract/channel-owners', 'src/channels'];

export const CHANNELS: readonly RoomBreak[] = [
  {
    name: 'a link acts for ever',
    promise: 'a link of a message acts for a week',
    file: ACT,
    piece: 'suspended_at !== null || this.#parts.clock.now().getTime() - at.getTime() > LINK_LIFETIME_MS',
    replacement: 'suspended_at !== null || at.getTime() > LINK_LIFETIME_MS * 1_000_000',
    by,
  },
  {
    name: 'the link of a suspended account acts',
    promise: 'a suspended account has no access',
    file: ACT,
    piece: 'return suspended_at !== null || this',
    replacement: 'return suspended_at === undefined || this',
    by: [...by, 'contract/admin'],
  },
  {
    name: 'Done by a link acts on any occurrence',
    promise: 'a link acts only on the occurrence of its nudge',
    file: ACT,
    piece:
      'const occurrenceDueAt = occurrence_due_at?.toISOString() ?? null;\n      next = (await tasks.act(caller, task_id, { ...request, occurrenceDueAt })).next_fire_at;',
    replacement: 'void occurrence_due_at;\n      next = (await tasks.act(caller, task_id, request)).next_fire_at;',
    by,
  },
  {
    name: 'opening a link does what it offers',
    promise: 'a mail scanner that opens links changes nothing',
    file: ACT,
    piece: "    const state = this.#isExpired(nudge) ? 'expired' : 'ready';\n",
    replacement: "    const state = this.#isExpired(nudge) ? 'expired' : await this.#change(nudge, 'done');\n",
    by,
  },
  {
    name: 'a page shows a title that its message hid',
    promise: 'a private title is shown to nobody by its link',
    file: ACT,
    piece: '      : { state, title: shownTitle, taskId };',
    replacement: '      : { state, title, taskId };',
    also: { piece: '    return private_title\n', replacement: "    return private_title && shownTitle === ''\n" },
    by,
  },
  {
    name: '“No more of these messages” leaves the mail of the account',
    promise: 'who stops mail gets none at any address',
    file: ACT,
    piece: '    await switchOffAutomatic(this.#parts.db, nudge.owner_id, nudge.provider, off);\n',
    replacement: '    void switchOffAutomatic;\n',
    by: [...by, 'scenario/dead-channel'],
  },
  {
    name: 'Seen does not stop the fall to the next tier',
    promise: 'a person who was reached is not told by the next tier',
    file: ACT,
    piece: '      await cancelWaitingTiers(trx, nudge);\n',
    replacement: '      void cancelWaitingTiers;\n',
    by: [...by, 'contract/channel-receipts'],
  },
  {
    name: 'channels of an account are not bounded',
    promise: 'an account has a bounded number of channels',
    file: SERVICE,
    piece: "if (others.length >= MOST_CHANNELS) throw new AppError('too_many_channels');",
    replacement: '',
    by,
  },
  {
    name: 'another address stays confirmed',
    promise: 'a new address is confirmed before the first nudge goes there',
    file: 'src/channels/channel-columns.ts',
    piece: '...(!isSame && { verified_at: null, proven_by: null }),',
    replacement: '',
    by,
  },
  {
    name: 'a session that was ended a moment ago adds a channel',
    promise: 'nothing outlives “Sign out everywhere”',
    file: SERVICE,
    piece: '      await requireLiveSession(trx, caller);\n      await lockAccount(trx, caller.userId);\n',
    replacement: '      await lockAccount(trx, caller.userId);\n',
    by: [...by, 'contract/sign-out'],
  },
  {
    name: 'a code can be tried without end',
    promise: 'a code of six digits cannot be guessed',
    file: CONFIRM,
    piece: 'const MOST_TRIES = 5;',
    replacement: 'const MOST_TRIES = 5_000_000;',
    by,
  },
  {
    name: 'a title becomes public with its channel',
    promise: 'a channel that others can read hides titles',
    file: 'src/channels/channel-columns.ts',
    piece: '...(isPublic(address) && !isPublic(before) && { private_title: true }),',
    replacement: '',
    by,
  },
  {
    name: 'a code for one address confirms another',
    promise: 'a confirmation counts for one address',
    file: CONFIRM,
    piece: 'this.#parts.vault.hash(CODE_PURPOSE, channel.id, channel.address_hash, code)',
    replacement: 'this.#parts.vault.hash(CODE_PURPOSE, channel.id, "", code)',
    also: {
      piece: 'CODE_PURPOSE, channelId, channel.address_hash, code',
      replacement: 'CODE_PURPOSE, channelId, "", code',
    },
    by,
  },
  {
    name: 'strangers count as the owner of a mailbox',
    promise: 'a crowd cannot fill a stranger’s mailbox with codes',
    file: CONFIRM,
    piece: 'const isOwn = name === MAIL && account.email !== null && mailbox === mailboxOf(account.email);',
    replacement: 'const isOwn = name === MAIL && account.email !== null;',
    by,
  },
];
