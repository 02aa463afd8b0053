/** Checks everything that the service needs, changes nothing, and says what is wrong and how to correct it. */
import { WEB_FOLDER } from '../../compose/service.ts';
import { checkSettings, type SettingProblem, settings } from '../../config.ts';
import { trustCertificates } from '../../lib/trusted-certificates.ts';
import { type Call, type Command, CommandError } from '../command.ts';
import { formatTable } from '../table.ts';
import { addressChecks } from './address.ts';
import { administrators } from './administrators.ts';
import { channelChecks } from './channels.ts';
import { type Check, type DoctorContext, type Finding, fault, fine, reasonOf, runCheck, warning } from './check.ts';
import { databaseChecks } from './database.ts';
import { folderChecks } from './folder.ts';
import { integrityChecks } from './integrity.ts';
import { keyChecks } from './key.ts';
import { mailChecks } from './mail.ts';
import { outsideChecks } from './outside.ts';
import { processes } from './processes.ts';
import { pushChecks } from './push.ts';
import { withoutSecrets } from './redaction.ts';
import { serviceChecks } from './service.ts';
import { understudies } from './understudies.ts';
import { webAppCheck } from './web-app.ts';
import { webPushChecks } from './web-push.ts';

/** These block the thread, so they run one after the other. */
const localChecks: readonly Check[] = [
  ...serviceChecks,
  webAppCheck(WEB_FOLDER),
  ...folderChecks,
  ...databaseChecks,
  processes,
  administrators,
  understudies,
  ...integrityChecks,
  ...keyChecks,
];
/** These mostly wait, so they run at the same time. */
const networkChecks: readonly Check[] = [
  ...addressChecks,
  ...mailChecks,
  ...channelChecks,
  ...pushChecks,
  ...webPushChecks,
  ...outsideChecks,
];

type NamedFinding = Finding & { readonly check: string };

export const doctor: Command = {
  parameters: [],
  summary: 'Check everything the service needs, and say what is wrong',
  explanation:
    'Checks the settings, the data folder, the database, mail, push credentials, the clock and the address, and\n' +
    'says how to correct what is wrong. Changes nothing and sends no nudge and no mail. Works while the service runs, and before\n' +
    'its first start. Run it as the same user as the service. The exit code is 1 if there is a fault.',
  async run(call) {
    const environment = readEnvironment(call);
    const found = await runChecks(call, environment.values, environment.findings).catch((error) => {
      throw call.signal.aborted ? new CommandError('Stopped.') : error;
    });
    const findings = found.map((finding) => withoutSecrets(finding, environment.values));
    const count = (verdict: Finding['verdict']) => findings.filter((finding) => finding.verdict === verdict).length;
    const [faults, warnings] = [count('fault'), count('warning')];
    const totals = `${plural(faults, 'fault')}, ${plural(warnings, 'warning')}.`;
    const text = `${formatTable(findings.map(toRow))}\n\n${totals}`;
    return { data: { faults, warnings, findings }, text, failed: faults > 0 };
  },
};

type Environment = ReturnType<Call['environment']>;

/** An unreadable `.env` is a finding; the checks still run. */
function readEnvironment(call: Call): { values: Environment; findings: NamedFinding[] } {
  try {
    return { values: call.environment(), findings: [] };
  } catch (error) {
    const unreadable = fault(`.env cannot be read: ${reasonOf(error)}`, 'Make it a readable file, or remove it.');
    return { values: {}, findings: [{ check: 'settings', ...unreadable }] };
  }
}

async function runChecks(call: Call, environment: Environment, before: readonly NamedFinding[]) {
  const { config, problems } = checkSettings(environment);
  trustCertificates(config.EXTRA_CA_FILE);
  const context: DoctorContext = { config, version: call.version, clock: call.clock, logger: call.logger };
  const wrong = new Set(problems.map(({ setting }) => setting));
  const findings = [...before, ...describeSettings(problems, environment)];
  const run = async (check: Check): Promise<NamedFinding[]> => {
    const finding = describeObstacle(check, wrong) ?? (await runCheck(check, context, call.signal));
    return finding ? [{ check: check.name, ...finding }] : [];
  };
  for (const check of localChecks) findings.push(...(await run(check)));
  return [...findings, ...(await Promise.all(networkChecks.map(run))).flat()];
}

function describeSettings(problems: readonly SettingProblem[], environment: Environment): NamedFinding[] {
  const remedy = 'Correct it in .env or the environment; .env.example explains it.';
  if (problems.length > 0) return problems.map(({ message }) => ({ check: 'settings', ...fault(message, remedy) }));
  const count = Object.keys(settings).filter((name) => environment[name]).length;
  return [{ check: 'settings', ...fine(count === 0 ? 'none are set' : `${count} set, all valid`) }];
}

function describeObstacle(check: Check, wrong: ReadonlySet<string>): Finding | undefined {
  const setting = check.settings.find((name) => wrong.has(name));
  return setting && warning(`not checked, because ${setting} is wrong`, `Correct ${setting}, and try again.`);
}

const toRow = ({ check, verdict, says, remedy }: NamedFinding) => [
  verdict,
  check,
  remedy ? `${says.replace(/\.$/, '')}. ${remedy}` : says,
];

const plural = (count: number, noun: string) => `${count === 0 ? 'no' : count} ${noun}${count === 1 ? '' : 's'}`;
