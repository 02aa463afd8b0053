/** Looks at everything the service needs, changes nothing, and says what is wrong and how to mend it. */
import { type Complaint, examineSettings, type SettingName, settings } from '../config.ts';
import { type Call, type Command, CommandError } from './command.ts';
import { addressChecks } from './doctor/address.ts';
import { type Check, examine, type Finding, fault, fine, type Patient, reasonOf, warning } from './doctor/check.ts';
import { databaseChecks } from './doctor/database.ts';
import { folderChecks } from './doctor/folder.ts';
import { integrityChecks } from './doctor/integrity.ts';
import { keyChecks } from './doctor/key.ts';
import { mailChecks } from './doctor/mail.ts';
import { providerChecks } from './doctor/provider.ts';
import { pushChecks } from './doctor/push.ts';
import { withoutSecrets } from './doctor/redaction.ts';
import { serviceChecks } from './doctor/service.ts';
import { webPushChecks } from './doctor/web-push.ts';

/** These keep the thread to themselves, so they go one after the other. */
const here: readonly Check[] = [...serviceChecks, ...folderChecks, ...databaseChecks, ...integrityChecks, ...keyChecks];
/** These mostly wait, so they go all at once. */
const elsewhere: readonly Check[] = [
  ...addressChecks,
  ...mailChecks,
  ...pushChecks,
  ...webPushChecks,
  ...providerChecks,
];

type Named = Finding & { readonly check: string };

export const doctor: Command = {
  parameters: [],
  summary: 'Look at everything the service needs, and say what is wrong',
  explanation:
    'Tries the settings, the data folder, the database, mail, push credentials, the clock and the address, and says\n' +
    'how to mend what it finds. Changes nothing and nudges nobody; works while the service runs and before it ever\n' +
    'did. Run it as the user that the service runs as. The exit code is 1 where there is a fault.',
  async run(call) {
    const environment = readable(call);
    const found = await lookAtAll(call, environment.values, environment.findings).catch((error) => {
      throw call.signal.aborted ? new CommandError('Stopped.') : error;
    });
    const findings = found.map((finding) => withoutSecrets(finding, environment.values));
    const count = (verdict: Finding['verdict']) => findings.filter((finding) => finding.verdict === verdict).length;
    const [faults, warnings] = [count('fault'), count('warning')];
    const text = [...findings.map(lineOf), '', `${plural(faults, 'fault')}, ${plural(warnings, 'warning')}.`].join(
      '\n',
    );
    return { data: { faults, warnings, findings }, text, failed: faults > 0 };
  },
};

type Environment = ReturnType<Call['environment']>;

/** A `.env` that cannot be read is a finding, and no reason to stop looking. */
function readable(call: Call): { values: Environment; findings: Named[] } {
  try {
    return { values: call.environment(), findings: [] };
  } catch (error) {
    const unreadable = fault(`.env cannot be read: ${reasonOf(error)}`, 'Make it a readable file, or remove it.');
    return { values: {}, findings: [{ check: 'settings', ...unreadable }] };
  }
}

async function lookAtAll(call: Call, environment: Environment, before: readonly Named[]): Promise<Named[]> {
  const { config, complaints } = examineSettings(environment);
  const patient: Patient = { config, version: call.version, clock: call.clock, logger: call.logger };
  const wrong = new Set(complaints.map(({ setting }) => setting));
  const findings = [...before, ...describeSettings(complaints, environment)];
  const look = async (check: Check): Promise<Named[]> => {
    const finding = await lookUnlessWrong(check, patient, wrong, call.signal);
    return finding ? [{ check: check.name, ...finding }] : [];
  };
  for (const check of here) findings.push(...(await look(check)));
  return [...findings, ...(await Promise.all(elsewhere.map(look))).flat()];
}

function describeSettings(complaints: readonly Complaint[], environment: Environment): Named[] {
  const remedy = 'Correct it in .env or the environment; .env.example explains it.';
  if (complaints.length > 0) return complaints.map(({ message }) => ({ check: 'settings', ...fault(message, remedy) }));
  const count = Object.keys(settings).filter((name) => environment[name]).length;
  return [{ check: 'settings', ...fine(`${count === 0 ? 'none' : count} set, and all of them make sense`) }];
}

async function lookUnlessWrong(check: Check, patient: Patient, wrong: ReadonlySet<SettingName>, signal: AbortSignal) {
  const obstacle = check.settings.find((name) => wrong.has(name));
  if (obstacle) return warning(`not looked at, since ${obstacle} is wrong`, `Correct ${obstacle}, and try again.`);
  return examine(check, patient, signal);
}

const lineOf = ({ check, verdict, says, remedy }: Named) =>
  `${verdict.padEnd(7)}  ${check.padEnd(17)}  ${remedy ? `${says.replace(/\.$/, '')}. ${remedy}` : says}`;

const plural = (count: number, noun: string) => `${count === 0 ? 'no' : count} ${noun}${count === 1 ? '' : 's'}`;
