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
    const webApp = new WebApp(WEB_FOLDER, logger);
    const files = await webApp.prepare();
    // The files of an earlier build are there if this one failed.
    if (files.size === 0 || (await webApp.state()) !== 'current') {
      throw new CommandError(
        'The web app could not be built. The line above says why, and "node web/build.ts" says more.',
      );
    }
    return { data: { files: files.size }, text: `The web app is ready: ${files.size} files.` };
  },
};
