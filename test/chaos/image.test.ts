/** The image of the Dockerfile. It is built and started in "npm run test:full" alone, where a tool for that is installed. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { onlyOn } from '../support/engines.ts';
import { freePort } from '../support/free-port.ts';
import { findImageTool } from '../support/image-tool.ts';
import { IS_FULL } from '../support/size.ts';
import { waitUntil } from '../support/wait-until.ts';

const ROOT = join(import.meta.dirname, '../..');
const DOCKERFILE = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');

onlyOn('sqlite', () => {
  test('whatever the Dockerfile copies exists and passes .dockerignore', () => {
    const passed = readFileSync(join(ROOT, '.dockerignore'), 'utf8').matchAll(/^!([^\n/]+)/gm);
    const names = [...passed].map(([, name]) => name);
    const copied = [...DOCKERFILE.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, list = '']) => list.split(' '));
    assert.ok(copied.length >= 8);
    for (const path of copied) {
      assert.ok(existsSync(join(ROOT, path)), path);
      assert.ok(names.includes(path.split('/')[0]), `.dockerignore leaves out ${path}`);
    }
  });

  if (IS_FULL) {
    test('the image builds, starts, and serves the API and the web app', async (t) => {
      const [, base = ''] = /^FROM (\S+)/m.exec(DOCKERFILE) ?? [];
      const tool = findImageTool();
      if (!tool?.has(base)) {
        t.diagnostic(tool ? `${tool.name} cannot get ${base}: not built` : 'neither docker nor buildah: not built');
        return;
      }
      const tag = `crescendo-test-${process.pid}`;
      t.after(() => tool.remove(tag));
      const built = tool.build(ROOT, tag);
      assert.equal(built.status, 0, built.said.slice(-4_000));
      const port = await freePort();
      const started = tool.start(tag, port);
      const ended = once(started.process, 'close');
      const ask = (path: string) => fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined);
      await waitUntil(async () => (await ask('/health'))?.ok ?? false);
      assert.match((await (await ask('/app'))?.text()) ?? '', /<script/);
      started.stop();
      await ended;
    });
  }
});
