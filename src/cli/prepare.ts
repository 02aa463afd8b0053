import { WEB_FOLDER } from '../compose.ts';
import { WebApp } from '../http/web-app.ts';
import { type Command, CommandError } from './command.ts';

export const prepare: Command = {
  parameters: [],
  summary: 'Build the web app beforehand, if it is not built yet',
  explanation:
    'A service that may write into its own folder does this by itself. Run it after an install or an upgrade where it\n' +
    'may not, as under systemd.',
  async run({ logger }) {
    const files = await new WebApp(WEB_FOLDER, logger).prepare();
    if (files.size === 0) throw new CommandError('The web app could not be built; the lines above say why.');
    return { data: { files: files.size }, text: `The web app is ready: ${files.size} files.` };
  },
};
