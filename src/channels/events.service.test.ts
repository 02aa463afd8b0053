import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../lib/errors.ts';
import { createLogger } from '../lib/logger.ts';
import type { ChannelEvent, ChannelProvider } from '../push/channel-provider.ts';
import { EventsService } from './events.service.ts';

const PROVIDER = { kind: { provider: 'telegram' } } as ChannelProvider;

/** `link` handles the one kind of report that is used here. Returns what became of the reports, and which were tried. */
async function handle(link: (code: string) => Promise<boolean>, ...codes: readonly string[]) {
  const tried: string[] = [];
  const confirmations = {
    link: (_provider: unknown, code: string) => {
      tried.push(code);
      return link(code);
    },
  };
  const events = new EventsService({ confirmations, logger: createLogger('silent') } as never);
  const reports = codes.map((code): ChannelEvent => ({ kind: 'linked', code, address: {} }));
  const state = await events.handle(PROVIDER, reports).catch(({ code }: AppError) => code);
  return { state, tried };
}

test('a report that fails stops no other, and is not sent again', async () => {
  const link = async (code: string) => (code === 'bad' ? assert.fail('It cannot be read.') : true);
  assert.deepEqual(await handle(link, 'bad', 'good'), { state: 'expired', tried: ['bad', 'good'] });
});

test('a report that could not be stored is refused, so that the provider sends it again', async () => {
  const link = async () => {
    throw new AppError('database_unavailable');
  };
  assert.deepEqual(await handle(link, 'one', 'two'), { state: 'database_unavailable', tried: ['one'] });
});
