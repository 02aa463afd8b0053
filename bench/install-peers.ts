/**
 * What the benchmarks compare with, installed on first use into `bench/peers`, from its own lockfile. The service never
 * depends on any of it.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Report } from './report.ts';

const FOLDER = fileURLToPath(new URL('./peers/', import.meta.url));

let isInstalled: boolean | undefined;

/** A function that loads a package of the peers, or undefined, with the reason in the report, if they cannot be installed. */
export function loadPeers(report: Report, rows: string): NodeJS.Require | undefined {
  isInstalled ??= existsSync(`${FOLDER}node_modules`) || install();
  if (!isInstalled) {
    report.skip(rows, 'Its packages could not be installed, which needs the network: `npm ci --prefix bench/peers`.');
    return undefined;
  }
  return createRequire(`${FOLDER}package.json`);
}

function install(): boolean {
  console.log('  installing the peers (npm ci --prefix bench/peers) …');
  const { status } = spawnSync('npm', ['ci', '--prefix', FOLDER, '--ignore-scripts', '--silent'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    // npm.cmd on Windows.
    shell: process.platform === 'win32',
  });
  return status === 0;
}

export function versionOf(load: NodeJS.Require, name: string): string {
  return (load(`./node_modules/${name}/package.json`) as { version: string }).version;
}
