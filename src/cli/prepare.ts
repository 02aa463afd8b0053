import { WEB_FOLDER } from '../compose/service.ts';
import { WebApp } from '../http/web-app/web-app.ts';
import { type Command, CommandError } from './command.ts';

export const prepare: Command = {
  parameters: [],
  summary: 'Build the web app, if it is not built yet',
  explanation:
    'The service does this when it starts, if it may write to its own folder. Run it after an install or an upgrade\n' +
    'if it may not, as under systemd.',
  async run({ logger }) {
    const files = await new WebApp(WEB_FOLDER, logger).prepare();
    if (files.size === 0) throw new CommandError('The web app could not be built. The lines above say why.');
    return { data: { files: files.size }, text: `The web app is ready: ${files.size} files.` };
  },
};
