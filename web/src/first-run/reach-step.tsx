import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Channel } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { alphabetical } from '../data/alphabetical.ts';
import { channelsOptions, refetchReach } from '../data/channels.ts';
import { canEnablePush, enablePush, enablingPush } from '../data/devices.ts';
import { checkPush } from '../data/push-health.ts';
import { useStore } from '../data/store.ts';
import { strings } from '../strings.ts';
import { Button } from '../ui/button.tsx';

const { firstRun: words, unreached } = strings;

/** Nudges in this browser are one tap away; every other way is on a screen of its own. */
export function ReachStep({ onDone }: { readonly onDone: () => void }) {
  const { data } = useQuery(channelsOptions);
  const { data: canEnable } = useQuery({ queryKey: ['can-enable-push'], queryFn: canEnablePush, gcTime: 0 });
  const waitsFor = useStore(enablingPush);
  const enable = useMutation({ mutationFn: enablePush, onSuccess: checkPush, onSettled: refetchReach });
  // The browser asks once: after a No only its own settings lead back. `enable` has the answer that was just given.
  const isDenied = isSecureContext && 'Notification' in window && Notification.permission === 'denied';
  const isOffered = canEnable === true && !enable.isSuccess && !isDenied;
  const lead = data?.reachable ? words.reached(channelsUsed(data.channels), isOffered) : words.unreached(isOffered);
  return (
    <>
      <p className="mt-1 mb-4">{lead}</p>
      {!isSecureContext && <p className="mb-4">{unreached.pushInsecure}</p>}
      {isDenied && <p className="mb-4">{unreached.pushBlocked}</p>}
      {enable.error && <p className="mb-4 font-medium text-danger">{problemText(enable.error)}</p>}
      <div className="flex flex-wrap items-center gap-x-2 gap-y-3">
        {isOffered && (
          <Button
            variant="primary"
            icon="bell"
            className="max-w-full whitespace-normal!"
            busy={enable.isPending}
            onClick={() => enable.mutate()}
          >
            {waitsFor ? unreached.enabling[waitsFor] : unreached.enablePush}
          </Button>
        )}
        <Button onClick={onDone}>{words.next}</Button>
        <Link to="/settings/channels" className="inline-flex min-h-11 items-center px-2 underline underline-offset-4">
          {words.otherWays}
        </Link>
      </div>
    </>
  );
}

/** What a nudge is sent through at once: of the working channels those that wait for no other. */
function channelsUsed(channels: readonly Channel[]): string {
  const working = channels.filter(({ state }) => state === 'working');
  const first = Math.min(...working.map(({ tier }) => tier));
  const names = working.filter(({ tier }) => tier === first).map(({ provider }) => provider);
  return alphabetical(new Set(names.map((name) => strings.detail.channels[name] ?? name)), (name) => name).join(', ');
}
