import type { Command, Report } from '../command.ts';
import { rotateConfiguredKeys } from './rotate-configured.ts';
import { rotateKeyFile } from './rotate-key-file.ts';
import { countUnreadable, type Rotation } from './rotation.ts';

export const keysRotate: Command = {
  parameters: [],
  summary: 'Encrypt everything with a new key, so that the old one can be removed',
  explanation:
    'Without SECRET_KEY (the key is in DATA_DIR): stop the service first. A new key is added to secret.key, and\n' +
    'old keys move to secret.key.former once no value needs them.\n' +
    'With SECRET_KEY: set it to a new key and SECRET_KEY_OLD to the old one, restart every process, then run this\n' +
    'while they run. It says when SECRET_KEY_OLD can be removed.\n' +
    'The command changes nothing while a value needs a key that is missing. After an interruption, run it again.\n' +
    'Recovery codes work for as long as their key is available.',
  async run(call) {
    const rotation = await (call.config().SECRET_KEY === undefined ? rotateKeyFile(call) : rotateConfiguredKeys(call));
    return reportOf(rotation);
  },
};

function reportOf({ keyId, tallies, olderKeyUse, isUnfinished, lost, advice }: Rotation): Report {
  const unreadable = countUnreadable(tallies);
  const counted = Object.entries(tallies).map(([name, { resealed }]) => `${resealed} ${name.replaceAll('_', ' ')}`);
  const lines = [
    `Encrypted again with key ${keyId}: ${counted.join(', ')}.`,
    ...(unreadable > 0 ? [unreadableLine(unreadable)] : []),
    ...(lost > 0 ? [`Left unchanged: ${lost} sealed with keys that were marked as lost.`] : []),
    ...(isUnfinished ? ['A process still uses an old key: restart every process, then run this again.'] : []),
    ...(olderKeyUse.accounts > 0 ? [olderKeyLine(olderKeyUse.accounts)] : []),
    advice,
  ];
  const data = {
    key_id: keyId,
    places: tallies,
    unreadable,
    forgotten: lost,
    unfinished: isUnfinished,
    accounts_depending_on_old_keys: olderKeyUse.accounts,
    old_keys_needed: isUnfinished || unreadable > 0 || olderKeyUse.keyIds.length > 0,
    old_key_ids_needed: olderKeyUse.keyIds,
  };
  return { data, text: lines.join('\n'), ...((unreadable > 0 || isUnfinished) && { failed: true }) };
}

const unreadableLine = (unreadable: number) =>
  `${unreadable} ${unreadable === 1 ? 'is' : 'are'} damaged: no key opens ${unreadable === 1 ? 'it' : 'them'}. The old ` +
  'keys are kept. Restore a backup, or turn off the second factor of the accounts concerned.';

const olderKeyLine = (accounts: number) =>
  `${accounts === 1 ? 'One account has' : `${accounts} accounts have`} recovery codes that need an older key. Without that key ` +
  'those codes stop working; the authenticator app still works. Turning the second factor off and on again makes new codes.';
