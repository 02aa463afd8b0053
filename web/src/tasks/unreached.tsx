/** One line on Today while no nudge can reach the user, or this browser has stopped receiving them. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { problemText } from '../api/problem.ts';
import { channelsOptions, refetchReach } from '../data/channels.ts';
import { canEnablePush, enablePush, enablingPush } from '../data/devices.ts';
import { checkPush, pushTrouble } from '../data/push-health.ts';
import { useStore } from '../data/store.ts';
import { useSettings } from '../data/sync.ts';
import { showToast } from '../data/toast.ts';
import { strings } from '../strings.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';

const { unreached: words } = strings;
const STARTED_AT = Date.now();
/** Until the tab is closed, for the account that hid it. */
const HIDDEN_KEY = 'crescendo-unreached-hidden';

export function Unreached() {
  const { data, dataUpdatedAt } = useQuery(channelsOptions);
  const trouble = useStore(pushTrouble);
  const userId = useSettings()?.id;
  const [hiddenFor, setHiddenFor] = useState(() => sessionStorage.getItem(HIDDEN_KEY));
  // Data saved by an earlier visit may be outdated.
  const isUnreached = data?.reachable === false && dataUpdatedAt >= STARTED_AT;
  if (userId === undefined || userId === hiddenFor || !(isUnreached || trouble)) return null;
  const hide = () => {
    sessionStorage.setItem(HIDDEN_KEY, userId);
    setHiddenFor(userId);
  };
  return (
    <section
      aria-label={words.title}
      className="mb-6 flex flex-wrap items-center gap-x-3 gap-y-2 rounded-2xl bg-danger-wash py-2 pr-2 pl-4 text-danger"
    >
      <Icon name="bell" className="size-4.5" />
      <p className="min-w-0 grow basis-48">{trouble ? words.trouble[trouble] : words.none}</p>
      <span className="flex grow items-center justify-end gap-1">
        <WayOut reason={data?.reason ?? null} />
        <IconButton icon="close" label={words.hide} onClick={hide} className="text-danger!" />
      </span>
    </section>
  );
}

/** Nudges in this browser are one tap away, so they come first, where they can work. */
function WayOut({ reason }: { readonly reason: string | null }) {
  const { data: canEnable } = useQuery({ queryKey: ['can-enable-push'], queryFn: canEnablePush, gcTime: 0 });
  const step = useStore(enablingPush);
  const enable = useMutation({
    mutationFn: enablePush,
    onSuccess: checkPush,
    onSettled: refetchReach,
    onError: (error) => showToast(problemText(error)),
  });
  if (canEnable === undefined) return null;
  if (canEnable && !enable.isError && reason !== 'not_confirmed')
    return (
      <Button
        variant="danger"
        className="shrink! whitespace-normal!"
        busy={enable.isPending}
        onClick={() => enable.mutate()}
      >
        {step ? words.enabling[step] : words.enable}
      </Button>
    );
  return (
    <Link
      to="/settings/channels"
      className="inline-flex min-h-11 items-center px-2 font-semibold underline underline-offset-4"
    >
      {LINKS[reason ?? ''] ?? words.mend}
    </Link>
  );
}

const LINKS: Readonly<Record<string, string>> = { nothing_set_up: words.add, not_confirmed: words.confirm };
