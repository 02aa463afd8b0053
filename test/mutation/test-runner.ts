/**
 * Runs the tests of a group for Stryker, inside its process: a new process for each mutant would cost ten times as much.
 * Each mutant gets fresh modules, only the tests that reach it run, and the first that fails ends its run. Tests that
 * noticed the mutants before come first, because neighbours are often noticed by the same test.
 */

import { join } from 'node:path';
import type { MutantCoverage, StrykerOptions } from '@stryker-mutator/api/core';
import { commonTokens, declareClassPlugin, PluginKind, tokens } from '@stryker-mutator/api/plugin';
import {
  type DryRunResult,
  DryRunStatus,
  determineHitLimitReached,
  type MutantRunOptions,
  type MutantRunResult,
  type TestResult,
  type TestRunner,
  TestStatus,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import fc from 'fast-check';
import { takeTests } from './collected-tests.ts';
import { importsFrom } from './fresh-modules.ts';

/** Stands for the tests of a file that a mutant keeps from being loaded. */
const UNLOADED = 'is loaded';
/** So many tests that noticed a mutant before come first, then the quick ones. */
const TRIED_FIRST = 5;

/** What the changed code looks at. */
interface Switches {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
  mutantCoverage?: MutantCoverage;
}

class GroupTestRunner implements TestRunner {
  static inject = tokens(commonTokens.options);
  readonly #import = importsFrom(process.cwd());
  readonly #files: readonly string[];
  readonly #leftOut: readonly string[];
  readonly #switches: Switches = {};
  /** How long each test took, by id. */
  readonly #took = new Map<string, number>();
  /** Ids of tests, the last that noticed something first. */
  readonly #noticedBy: string[] = [];

  constructor(options: StrykerOptions) {
    this.#files = options.groupTests as readonly string[];
    this.#leftOut = options.groupLeftOut as readonly string[];
    Object.assign(globalThis, { __stryker__: this.#switches });
    // The first example that fails is enough, and a mutant can make the search for a smaller one endless.
    fc.configureGlobal({ seed: 20_260_301, endOnFailure: true });
  }

  capabilities() {
    return { reloadEnvironment: true };
  }

  async dryRun(): Promise<DryRunResult> {
    const result = await this.#run(() => true);
    const { mutantCoverage } = this.#switches;
    return result.status === DryRunStatus.Complete && mutantCoverage ? { ...result, mutantCoverage } : result;
  }

  async mutantRun({ activeMutant, testFilter, hitLimit }: MutantRunOptions): Promise<MutantRunResult> {
    this.#switches.activeMutant = activeMutant.id;
    this.#switches.hitLimit = hitLimit;
    this.#switches.hitCount = hitLimit === undefined ? undefined : 0;
    const chosen = testFilter && new Set(testFilter);
    const result = await this.#run((id) => chosen?.has(id) ?? true);
    const endless = determineHitLimitReached(this.#switches.hitCount, hitLimit);
    return toMutantRunResult(endless ?? result);
  }

  async #run(isChosen: (id: string) => boolean): Promise<DryRunResult> {
    const results: TestResult[] = [];
    for (const { id, name, fileName, run } of await this.#load(isChosen)) {
      const began = performance.now();
      this.#switches.currentTestId = id;
      const failure = await failureOf(run);
      this.#switches.currentTestId = undefined;
      const shared = { id, name, fileName, timeSpentMs: performance.now() - began };
      if (failure === undefined) {
        this.#took.set(id, shared.timeSpentMs);
        results.push({ ...shared, status: TestStatus.Success });
        continue;
      }
      results.push({ ...shared, status: TestStatus.Failed, failureMessage: failure });
      this.#remember(id);
      break;
    }
    return { status: DryRunStatus.Complete, tests: results };
  }

  async #load(isChosen: (id: string) => boolean) {
    const tests = [];
    for (const file of this.#files) {
      const fileName = join(process.cwd(), file);
      const failure = await failureOf(() => this.#import([fileName]));
      const loaded = failure === undefined ? takeTests() : [{ name: UNLOADED, run: () => Promise.reject(failure) }];
      tests.push(...loaded.map(({ name, run }) => ({ id: `${file}: ${name}`, name, fileName, run })));
    }
    const isLeftOut = (name: string) => this.#leftOut.some((part) => name.includes(part));
    const chosen = tests.filter(({ id, name }) => (isChosen(id) && !isLeftOut(name)) || name === UNLOADED);
    const [noticed, others] = [this.#noticedBy.slice(0, TRIED_FIRST), this.#took];
    const rankOf = ({ id }: { id: string }) =>
      noticed.includes(id) ? noticed.indexOf(id) - TRIED_FIRST : (others.get(id) ?? 0);
    return chosen.toSorted((a, b) => rankOf(a) - rankOf(b));
  }

  #remember(id: string): void {
    const known = this.#noticedBy.indexOf(id);
    if (known >= 0) this.#noticedBy.splice(known, 1);
    this.#noticedBy.unshift(id);
  }
}

async function failureOf(run: () => unknown): Promise<string | undefined> {
  try {
    await run();
    return undefined;
  } catch (error) {
    return String(error);
  }
}

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'group', GroupTestRunner)];
