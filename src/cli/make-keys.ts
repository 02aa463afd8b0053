import { newSecretKey } from '../lib/secret-key.ts';
import { makeVapidKeys } from '../push/web-push/vapid-keys.ts';
import type { Command } from './command.ts';

export const makeKeys: Command = {
  parameters: [],
  summary: 'Make the keys that a service on PostgreSQL is given, as lines for .env',
  explanation:
    'On SQLite the service makes its own at the first start and keeps them in DATA_DIR. On PostgreSQL every process\n' +
    'must have the same ones. Nothing is stored: whoever loses them loses second factors and browser subscriptions.',
  async run() {
    const { publicKey, privateKey } = makeVapidKeys();
    const data = {
      SECRET_KEY: newSecretKey(),
      VAPID_PUBLIC_KEY: publicKey,
      VAPID_PRIVATE_KEY: privateKey,
    };
    const lines = Object.entries(data).map(([name, value]) => `${name}=${value}`);
    return { data, text: lines.join('\n') };
  },
};
