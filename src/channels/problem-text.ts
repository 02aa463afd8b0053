/** Says in plain words what went wrong with a channel. Pure. `push/channel-provider.ts` lists the reasons. */

import { words } from '../lib/words.ts';
import type { PushResult } from '../push/gateway.ts';

export function explainProblem(reason: string): string {
  const known = words.channelProblems[reason];
  if (known) return known;
  const other = words.otherChannelProblems;
  const [, protocol, code = ''] = /^(http|smtp)_(\d{3})$/.exec(reason) ?? [];
  if (/^sms_/.test(reason)) return other.sms;
  if (protocol === 'http' && code === '404') return other.unknownAddress;
  if (protocol === 'http' && code.startsWith('3')) return other.redirects(code);
  if (protocol === 'http' && code.startsWith('5')) return other.ownFault(code);
  if (protocol === 'smtp') return other.mailRefused(code);
  return protocol ? other.refused(code) : other.unknown(reason);
}

/** The result of a test, as the API shows it. */
export function toTestOut(result: PushResult) {
  if (result.kind === 'accepted') return { status: 'sent', reason: null, problem: null };
  const isFinal = result.kind === 'gone' || result.kind === 'rejected';
  const { reason } = result;
  return { status: isFinal ? 'failed_permanent' : 'failed_transient', reason, problem: explainProblem(reason) };
}
