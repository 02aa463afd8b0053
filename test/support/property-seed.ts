/**
 * `npm test` always draws the same examples for a property, so that a change is judged by what it changed.
 * `npm run test:full` draws new ones each time; a failing property prints its seed.
 */
import fc from 'fast-check';
import { IS_FULL } from './size.ts';

if (!IS_FULL) fc.configureGlobal({ seed: 20_260_301 });
