/** Builds and runs the image with Docker if its daemon answers, otherwise with Buildah, in a chroot that needs no daemon. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { findProgram } from './installed-program.ts';

interface Ended {
  readonly status: number | null;
  readonly said: string;
}

export interface ImageTool {
  readonly name: string;
  /** Whether the image is here, or could be fetched. */
  has(image: string): boolean;
  build(folder: string, tag: string): Ended;
  /** Starts the image's own command, which then listens to this port of this machine. */
  start(tag: string, port: number): { readonly process: ChildProcess; stop(): void };
  remove(tag: string): void;
}

export function findImageTool(): ImageTool | undefined {
  const docker = findProgram('docker');
  if (docker && run(docker, ['info']).status === 0) return dockerTool(docker);
  const buildah = findProgram('buildah');
  return buildah ? buildahTool(buildah) : undefined;
}

function run(program: string, words: readonly string[]): Ended {
  const { status, stdout, stderr } = spawnSync(program, words, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  return { status, said: `${stdout}${stderr}` };
}

const dockerTool = (program: string): ImageTool => ({
  name: 'docker',
  has: (image) =>
    run(program, ['image', 'inspect', image]).status === 0 || run(program, ['pull', '-q', image]).status === 0,
  build: (folder, tag) => run(program, ['build', '-t', tag, folder]),
  start: (tag, port) => ({
    process: spawn(program, ['run', '--rm', '--name', tag, '-p', `127.0.0.1:${port}:8080`, tag]),
    stop: () => void run(program, ['stop', tag]),
  }),
  remove: (tag) => void run(program, ['rmi', '-f', tag]),
});

const buildahTool = (program: string): ImageTool => ({
  name: 'buildah',
  has: (image) => run(program, ['pull', '-q', '--policy=missing', image]).status === 0,
  build: (folder, tag) => run(program, ['build', '--isolation', 'chroot', '-t', tag, folder]),
  start: (tag, port) => {
    run(program, ['from', '--name', tag, tag]);
    const command = ['--isolation', 'chroot', '--env', `PORT=${port}`, tag, '--', 'node', 'bin/crescendo.js'];
    const child = spawn(program, ['run', ...command]);
    return { process: child, stop: () => void child.kill('SIGTERM') };
  },
  remove: (tag) => {
    run(program, ['rm', tag]);
    run(program, ['rmi', '-f', tag]);
  },
});
