/** Preloaded into a process of the drill (`--import`): it dies before the nth step that matches DIE_BEFORE. */
import { dieBefore } from '../support/fatal-step.ts';

const { DIE_BEFORE = '', DIE_NTH = '1' } = process.env;
dieBefore(DIE_BEFORE, Number(DIE_NTH));
