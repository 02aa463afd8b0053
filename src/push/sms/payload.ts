/** The text of an SMS. Pure. A long title is cut, because each segment is paid for. */
import { words } from '../../lib/words.ts';
import type { ChannelActions, ChannelMessage } from '../channel-provider.ts';
import { isGsm7, roomOf, sizeOf, toCheap } from './sms-segments.ts';

/** A title is not cut below this length, even if that costs another segment. */
const SHORTEST_TITLE = 20;
const MOST_SEGMENTS = 4;
const CUT = '..';
/** Of a message that is held. It has no link. */
export const HELD_SEGMENTS = 2;
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

export function buildText(message: ChannelMessage): string {
  const { kind, title, body, actions } = message;
  if (kind === 'confirm') return toCheap(words.notice.sms(body));
  if (kind === 'test' || !actions) return toCheap(`${title}. ${body}`);
  const rest = restOf(body, actions);
  return fitTitle(toCheap(title), rest) + rest;
}

/** The title gets a third of it, because the rest says why the message comes from nobody. */
export function buildHeldText(title: string, body: string): string {
  const [shown, rest] = [toCheap(title), toCheap(body)];
  const isGsm = isGsm7(shown + rest);
  const room = roomOf(HELD_SEGMENTS, isGsm);
  return cutTo(`${cutTo(shown, Math.floor(room / 3), isGsm)}. ${rest}`, room, isGsm);
}

const [HELD_MARK = ''] = words.understudy.silentSince('\n').split('\n');

/** Whether it is such a text. Other programs may use the same messaging service. */
export const isHeldText = (text: string): boolean => text.includes(HELD_MARK);

/** The beginning of the title that `buildText` keeps, as the person wrote it. */
export function shownTitle({ title, body, actions }: ChannelMessage): string {
  const cheap = toCheap(title);
  const kept = actions ? fitTitle(cheap, restOf(body, actions)) : cheap;
  if (kept === cheap) return title;
  const keptLength = Math.max(kept.length - CUT.length, 0);
  let shown = '';
  for (const { segment } of graphemes.segment(title)) {
    if (toCheap(shown + segment).length > keptLength) break;
    shown += segment;
  }
  return `${shown}…`;
}

const restOf = (body: string, { page }: ChannelActions): string => `: ${toCheap(body)}\n${page}`;

/** Uses the fewest segments that leave a readable part of the title. */
function fitTitle(title: string, rest: string): string {
  const isGsm = isGsm7(title + rest);
  const wanted = Math.min(SHORTEST_TITLE, [...title].length);
  for (let segments = 1; segments <= MOST_SEGMENTS; segments += 1) {
    const kept = cutTo(title, roomOf(segments, isGsm) - sizeOf(rest, isGsm), isGsm);
    if ([...kept].length >= wanted || segments === MOST_SEGMENTS) return kept;
  }
  return title;
}

function cutTo(title: string, room: number, isGsm: boolean): string {
  if (sizeOf(title, isGsm) <= room) return title;
  let kept = '';
  for (const { segment } of graphemes.segment(title)) {
    if (sizeOf(kept + segment, isGsm) + CUT.length > room) break;
    kept += segment;
  }
  return kept === '' ? '' : kept + CUT;
}
