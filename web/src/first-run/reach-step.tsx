import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { problemText } from '../api/problem.ts';
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
  const isOffered = canEnable === true && !enable.isSuccess;
  return (
    <>
      <p className="mt-1 mb-4">{data?.reachable ? words.reached : words.unreached}</p>
      {!isSecureContext && <p className="mb-4">{unreached.pushInsecure}</p>}
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
