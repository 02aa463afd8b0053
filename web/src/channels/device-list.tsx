/** The devices among what reaches the user, this browser first. */
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import type { Device } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { refetchReach } from '../data/channels.ts';
import {
  devicesOptions,
  enablePush,
  enablingPush,
  type PushState,
  readPushState,
  removeDevice,
  sendTestPush,
} from '../data/devices.ts';
import { checkPush } from '../data/push-health.ts';
import { useStore } from '../data/store.ts';
import { useZone } from '../data/sync.ts';
import { showToast } from '../data/toast.ts';
import { screenStrings } from '../screen-strings.ts';
import { strings } from '../strings.ts';
import { formatDay, formatShortDate } from '../time/format.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Note } from '../ui/field.tsx';
import { StateBadge } from './state-badge.tsx';

const { reach: words } = screenStrings;
const NONE: readonly Device[] = [];

export function Devices() {
  const { data: devices = NONE } = useQuery(devicesOptions);
  const { data: push } = useQuery({
    queryKey: ['push-state', devices],
    queryFn: () => readPushState(devices),
    gcTime: 0,
    placeholderData: keepPreviousData,
  });
  const test = useMutation({ mutationFn: sendTestPush });
  const resultOf = (id: string) => test.data?.devices.find(({ device_id }) => device_id === id);
  return (
    <>
      <ThisBrowser state={push?.state} />
      {devices.length > 0 && (
        <>
          <ul className="mt-2">
            {devices.map((device) => (
              <DeviceRow
                key={device.id}
                device={device}
                isHere={device.id === push?.own}
                result={resultOf(device.id)}
              />
            ))}
          </ul>
          <Button icon="bell" className="mt-3" busy={test.isPending} onClick={() => test.mutate()}>
            {words.testPush}
          </Button>
        </>
      )}
      <div aria-live="polite" className="mt-3 empty:hidden">
        {test.data && (
          <Note tone={test.data.sent > 0 ? 'good' : 'soft'}>
            {words.tested(test.data.sent, test.data.devices.length)}
          </Note>
        )}
        {test.error && <Note tone="danger">{problemText(test.error)}</Note>}
      </div>
    </>
  );
}

function ThisBrowser({ state }: { readonly state: PushState | undefined }) {
  const step = useStore(enablingPush);
  const enable = useMutation({ mutationFn: enablePush, onSuccess: checkPush, onSettled: refetchReach });
  if (state === undefined) return <div className="skeleton h-11" />;
  if (state === 'unsupported')
    return <Note>{isSecureContext ? words.pushUnsupported : strings.unreached.pushInsecure}</Note>;
  if (state === 'blocked') return <Note>{strings.unreached.pushBlocked}</Note>;
  return (
    <div className="grid gap-3">
      {state === 'on' ? (
        <Note tone="good">{words.pushOn}</Note>
      ) : (
        <div>
          <Button
            variant="primary"
            icon="bell"
            className="max-w-full whitespace-normal!"
            busy={enable.isPending}
            onClick={() => enable.mutate()}
          >
            {step ? strings.unreached.enabling[step] : strings.unreached.enablePush}
          </Button>
        </div>
      )}
      {enable.error && <Note tone="danger">{problemText(enable.error)}</Note>}
      {enable.data === false && <Note tone="danger">{words.pushMissing}</Note>}
    </div>
  );
}

interface DeviceRowProps {
  readonly device: Device;
  readonly isHere: boolean;
  readonly result: { readonly status: string; readonly reason: string | null } | undefined;
}

function DeviceRow({ device, isHere, result }: DeviceRowProps) {
  const { id, platform, valid, created_at, last_seen_at } = device;
  const zone = useZone();
  const name = device.name ?? words.platforms[platform] ?? platform;
  const added = words.added(formatShortDate(created_at, zone));
  const seen = last_seen_at && words.seen(formatDay(last_seen_at, zone, Date.now()));
  const { mutate } = useMutation({
    mutationFn: () => removeDevice(id),
    onSuccess: refetchReach,
    onError: (error) => showToast(problemText(error)),
  });
  const tested =
    result && [words.testResults[result.status] ?? result.status, result.reason].filter(Boolean).join(': ');
  return (
    <li className="flex items-center justify-between gap-4 border-b border-line py-1.5">
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-x-3">
          <span>
            {name}
            {isHere && <strong className="font-semibold"> · {words.here}</strong>}
          </span>
          <StateBadge state={valid ? 'working' : 'needs_attention'} />
        </p>
        <p className="text-sm text-soft">{seen ? `${added} · ${seen}` : added}</p>
        {!valid && <p className="text-sm text-soft">{words.deviceInvalid}</p>}
        {tested && <p className="text-sm text-soft">{tested}</p>}
      </div>
      <IconButton icon="trash" label={words.remove(isHere ? name : `${name}, ${added}`)} onClick={() => mutate()} />
    </li>
  );
}
