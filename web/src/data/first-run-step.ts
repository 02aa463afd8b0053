/** The step of the first run that a new account sees on Today. Kept in the browser in which the account was made. */
import { Store } from './store.ts';

const KEY = 'crescendo-first-run';
const STEPS = ['claim', 'reach', 'quiet', 'task', 'ladder'] as const;
export type FirstRunStep = (typeof STEPS)[number];

/** The first step, which few people see, has no number. */
export const STEP_COUNT = STEPS.length - 1;
export const numberOf = (step: FirstRunStep) => STEPS.indexOf(step);

export const SUGGESTED_QUIET_HOURS = { quiet_hours_start: '22:00', quiet_hours_end: '07:00' };

/** Undefined once it is over. */
export const firstRunStep = new Store<FirstRunStep | undefined>(
  STEPS.find((step) => step === localStorage.getItem(KEY)),
);

/** `canClaim`: nobody administers the service yet. */
export function beginFirstRun(canClaim: boolean): void {
  goTo(canClaim ? 'claim' : 'reach');
}

/** Does nothing if another step has begun meanwhile, as in another tab. */
export function finishStep(step: FirstRunStep): void {
  if (firstRunStep.value === step) goTo(STEPS[numberOf(step) + 1]);
}

export function endFirstRun(): void {
  goTo(undefined);
}

function goTo(step: FirstRunStep | undefined): void {
  if (step) localStorage.setItem(KEY, step);
  else localStorage.removeItem(KEY);
  firstRunStep.set(step);
}
