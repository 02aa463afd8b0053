import { once } from 'node:events';
import { start } from '../start.ts';
import type { Command } from './command.ts';

export const serve: Command = {
  parameters: [],
  summary: 'Run the service until it is told to stop',
  explanation: 'This is what "npm start" does, and what happens without any command.',
  hasResult: false,
  async run({ signal }) {
    const service = await start();
    if (!signal.aborted) await once(signal, 'abort');
    await service.close();
    return undefined;
  },
};
