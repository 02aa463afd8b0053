import { useMutation, useQuery } from '@tanstack/react-query';
import { wordsOf } from '../api/problem.ts';
import { useHasPath } from '../data/api-paths.ts';
import { type Device, devicesOptions, enablePush, readPushState, removeDevice, sendTestPush } from '../data/devices.ts';
import { queryClient } from '../data/query-client.ts';
import { strings } from '../strings.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Note } from '../ui/field.tsx';
import { Section } from '../ui/section.tsx';

const { settings: words } = strings;

export function Devices() {
  const hasDevices = useHasPath()('/v1/devices');
  return (
    <Section title={words.devices} lead={words.devicesLead} anchor="devices">
      {hasDevices ? <DeviceList /> : <Note>{words.devicesMissing}</Note>}
    </Section>
  );
}

function DeviceList() {
  const { data: devices = [] } = useQuery(devicesOptions);
  const test = useMutation({ mutationFn: sendTestPush });
  const resultOf = (id: string) => test.data?.devices.find(({ device_id }) => device_id === id);
  return (
    <>
      <ThisBrowser />
      {devices.length > 0 && (
        <ul className="my-4">
          {devices.map((device) => (
            <DeviceRow key={device.id} device={device} result={resultOf(device.id)} />
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
        {test.error && <Note tone="danger">{wordsOf(test.error)}</Note>}
      </div>
    </>
  );
}

function ThisBrowser() {
  const { data: state, refetch } = useQuery({ queryKey: ['push-state'], queryFn: readPushState, gcTime: 0 });
  const enable = useMutation({
    mutationFn: enablePush,
    onSettled: async () => {
      await Promise.all([refetch(), queryClient.invalidateQueries(devicesOptions)]);
    },
  });
  if (state === undefined) return <div className="skeleton h-11" />;
  if (state === 'unsupported') return <Note>{words.pushUnsupported}</Note>;
  if (state === 'blocked') return <Note>{words.pushBlocked}</Note>;
  return (
    <div className="mb-3 grid gap-3">
      {state === 'on' ? (
        <Note tone="good">{words.pushOn}</Note>
      ) : (
        <div>
          <Button look="primary" icon="bell" busy={enable.isPending} onClick={() => enable.mutate()}>
            {words.enablePush}
          </Button>
        </div>
      )}
      {enable.error && <Note tone="danger">{wordsOf(enable.error)}</Note>}
    </div>
  );
}

interface DeviceRowProps {
  readonly device: Device;
  readonly result: { readonly status: string; readonly reason: string | null } | undefined;
}

function DeviceRow({ device: { id, platform, valid }, result }: DeviceRowProps) {
  const name = words.platforms[platform] ?? platform;
  const { mutate } = useMutation({
    mutationFn: () => removeDevice(id),
    onSuccess: () => queryClient.invalidateQueries(devicesOptions),
  });
  const state = result
    ? [words.testResults[result.status] ?? result.status, result.reason].filter(Boolean).join(': ')
    : valid
      ? ''
      : words.deviceInvalid;
  return (
    <li className="flex items-center justify-between gap-4 border-b border-line py-1.5">
      <p>
        {name} <span className="text-sm text-soft">{state}</span>
      </p>
      <IconButton icon="trash" label={words.removeDevice(name)} onClick={() => mutate()} />
    </li>
  );
}
