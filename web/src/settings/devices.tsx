import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import type { Device } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import {
  devicesOptions,
  enablePush,
  type PushState,
  readPushState,
  removeDevice,
  sendTestPush,
} from '../data/devices.ts';
import { queryClient } from '../data/query-client.ts';
import { showToast } from '../data/toast.ts';
import { strings } from '../strings.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Note } from '../ui/field.tsx';
import { Section } from '../ui/section.tsx';

const { settings: words } = strings;
const NONE: readonly Device[] = [];

export function Devices() {
  return (
    <Section title={words.devices} lead={words.devicesLead} anchor="devices">
      <DeviceList />
    </Section>
  );
}

function DeviceList() {
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
        <ul className="my-4">
          {devices.map((device) => (
            <DeviceRow key={device.id} device={device} isHere={device.id === push?.own} result={resultOf(device.id)} />
          ))}
        </ul>
      )}
      <Button icon="bell" busy={test.isPending} disabled={devices.length === 0} onClick={() => test.mutate()}>
        {words.testPush}
      </Button>
      <div aria-live="polite" className="mt-3">
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
  const enable = useMutation({ mutationFn: enablePush, onSettled: refetchAll });
  if (state === undefined) return <div className="skeleton h-11" />;
  if (state === 'unsupported') return <Note>{isSecureContext ? words.pushUnsupported : words.pushInsecure}</Note>;
  if (state === 'blocked') return <Note>{words.pushBlocked}</Note>;
  return (
    <div className="mb-3 grid gap-3">
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
            {words.enablePush}
          </Button>
        </div>
      )}
      {enable.error && <Note tone="danger">{problemText(enable.error)}</Note>}
      {enable.data === false && <Note tone="danger">{words.devicesMissing}</Note>}
    </div>
  );
}

/** The push state of the browser can change while the list of devices stays the same. */
const refetchAll = () =>
  Promise.all([
    queryClient.invalidateQueries(devicesOptions),
    queryClient.invalidateQueries({ queryKey: ['push-state'] }),
  ]);

interface DeviceRowProps {
  readonly device: Device;
  readonly isHere: boolean;
  readonly result: { readonly status: string; readonly reason: string | null } | undefined;
}

function DeviceRow({ device: { id, platform, valid }, isHere, result }: DeviceRowProps) {
  const name = words.platforms[platform] ?? platform;
  const { mutate } = useMutation({
    mutationFn: () => removeDevice(id),
    onSuccess: refetchAll,
    onError: (error) => showToast(problemText(error)),
  });
  const state = result
    ? [words.testResults[result.status] ?? result.status, result.reason].filter(Boolean).join(': ')
    : valid
      ? ''
      : words.deviceInvalid;
  return (
    <li className="flex items-center justify-between gap-4 border-b border-line py-1.5">
      <p>
        {name}
        {isHere && <strong className="font-semibold"> · {words.sessionHere}</strong>}{' '}
        <span className="text-sm text-soft">{state}</span>
      </p>
      <IconButton icon="trash" label={words.removeDevice(name)} onClick={() => mutate()} />
    </li>
  );
}
