/**
 * Deliberate breaks of the service, to show that the world notices them. A break replaces a piece of a source file as
 * it is loaded; if the piece is no longer there, loading fails, so a break cannot become harmless unnoticed.
 */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Break, Piece } from './break.ts';
import { APP_BREAKS } from './breaks/app.ts';
import { CLOCK_BREAKS } from './breaks/clock.ts';
import { DATABASE_BREAKS } from './breaks/database.ts';
import { DELIVERY_BREAKS } from './breaks/delivery.ts';
import { DOOR_BREAKS } from './breaks/door.ts';
import { KEY_BREAKS } from './breaks/key.ts';
import { NUDGE_BREAKS } from './breaks/nudge.ts';
import { PHONE_BREAKS } from './breaks/phone.ts';
import { READING_BREAKS } from './breaks/reading.ts';
import { REQUEST_BREAKS } from './breaks/request.ts';
import { SERVER_BREAKS } from './breaks/server.ts';
import { STAND_IN_BREAKS } from './breaks/stand-in.ts';
import { TASK_BREAKS } from './breaks/task.ts';
import { UNDERSTUDY_BREAKS } from './breaks/understudy.ts';
import { PAGE_SIZES } from './small-pages.ts';

export const BREAKS: readonly Break[] = [
  ...NUDGE_BREAKS,
  ...DELIVERY_BREAKS,
  ...TASK_BREAKS,
  ...REQUEST_BREAKS,
  ...STAND_IN_BREAKS,
  ...APP_BREAKS,
  ...UNDERSTUDY_BREAKS,
  ...READING_BREAKS,
  ...KEY_BREAKS,
  ...PHONE_BREAKS,
  ...CLOCK_BREAKS,
  ...SERVER_BREAKS,
  ...DOOR_BREAKS,
  ...DATABASE_BREAKS,
];

const ROOT = join(import.meta.dirname, '../..');

/** Must be called before the code under test is imported. */
export function install(broken: Break | undefined): void {
  const sources = new Map(
    changed([...(broken ? piecesOf(broken) : []), ...PAGE_SIZES]).map(([file, source]) => [
      pathToFileURL(join(ROOT, file)).href,
      source,
    ]),
  );
  registerHooks({
    load: (url, context, next) => {
      const source = sources.get(url);
      return source === undefined ? next(url, context) : { format: 'module-typescript', source, shortCircuit: true };
    },
  });
}

/** Throws if the code has changed so that the break does not fit it any more. */
export const brokenSources = (broken: Break): [file: string, source: string][] => changed(piecesOf(broken));

const piecesOf = ({ file, also, ...first }: Break) => [{ file, ...first }, ...(also ? [{ file, ...also }] : [])];

function changed(pieces: readonly (Piece & { readonly file: string })[]): [file: string, source: string][] {
  return [...Map.groupBy(pieces, (piece) => piece.file)].map(([name, own]) => [
    name,
    own.reduce((text, piece) => replaceOnce(name, text, piece), readFileSync(join(ROOT, name), 'utf8')),
  ]);
}

function replaceOnce(file: string, source: string, { piece, replacement }: Piece): string {
  if (source.split(piece).length !== 2) throw new Error(`${file} does not contain this once: ${piece}`);
  return source.replace(piece, () => replacement);
}
