import { once } from 'node:events';
import { start } from '../start.ts';
import type { Command } from './command.ts';

export const serve: Command = {
  parameters: [],
  summary: 'Run the service until it is stopped',
  explanation: '"npm start" runs this command. It is the default if no command is given.',
  hasResult: false,
  async run({ signal }) {
    const service = await start();
    if (!signal.aborted) await once(signal, 'abort');
    await service.close();
    return undefined;
  },
};
