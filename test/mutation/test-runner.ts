/**
 * Runs the tests of a group for Stryker, inside its process: a new process for each mutant would cost ten times as much.
 * Only the tests that reach a mutant run, and the first that fails ends its run. Tests that noticed the mutants before
 * come first, because neighbours are often noticed by the same test.
 *
 * A mutant that acts while a file is loaded gets fresh modules. The others share theirs, because loading costs more than
 * most tests, and what a module keeps must not decide all the same: a test that failed has to pass in the same modules
 * without the mutant, and what no test noticed is tried once more in fresh ones.
 *
 * Which tests reach a mutant that acts while a file is loaded is not known. Those that reach its neighbours come first: a
 * pattern stands beside what reads its match. Of a group with very many tests only the likely ones run in fresh modules;
 * what another one would have noticed counts as not noticed then.
 */

import { readFileSync, writeFileSync } from 'node:fs';
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
import { type CollectedTest, takeTests } from './collected-tests.ts';
import { importsFrom } from './fresh-modules.ts';

/** How far its neighbours are, by number: Stryker counts mutants in the order of the text. */
const NEIGHBOURS = 12;

/** Stands for the tests of a file that a mutant keeps from being loaded. */
const UNLOADED = 'is loaded';
/** So many tests that noticed a mutant before come first, then the quick ones. */
const TRIED_FIRST = 5;

/** A test that comes to a mutant so many times more often than any test did without it is taken to be in an endless loop. */
const MOST_HITS = 100;
const LEAST_LIMIT = 1_000;

/** What the first run found out, for the processes that try the mutants. */
interface FirstRun {
  /** How long each test took, by id. */
  readonly took: Readonly<Record<string, number>>;
  /** How often one test, or the loading of the files, came to each mutant at most. */
  readonly hits: Readonly<Record<string, number>>;
  /** The ids of the tests. */
  readonly tests: readonly string[];
  /** Which tests reach a mutant, as places in `tests`. */
  readonly reachedBy: Readonly<Record<string, readonly number[]>>;
}

/** What the changed code looks at. */
interface Switches {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
  mutantCoverage?: MutantCoverage;
}

interface LoadedTest extends CollectedTest {
  readonly id: string;
  readonly fileName: string;
}

class GroupTestRunner implements TestRunner {
  static inject = tokens(commonTokens.options);
  readonly #imports = importsFrom(process.cwd());
  readonly #files: readonly string[];
  readonly #leftOut: readonly string[];
  readonly #mostFresh: number;
  readonly #switches: Switches = {};
  /** All processes of a run are in one folder. */
  readonly #firstRunFile = join(process.cwd(), 'first-run.json');
  #firstRun: FirstRun | undefined;
  /** Ids of tests, the last that noticed something first. */
  readonly #noticedBy: string[] = [];
  /** Tests in modules that were loaded without a mutant. */
  #shared: readonly LoadedTest[] | undefined;

  constructor(options: StrykerOptions) {
    this.#files = options.groupTests as readonly string[];
    this.#leftOut = options.groupLeftOut as readonly string[];
    this.#mostFresh = (options.groupMostFresh as number | null) ?? Number.POSITIVE_INFINITY;
    Object.assign(globalThis, { __stryker__: this.#switches });
    // The first example that fails is enough, and a mutant can make the search for a smaller one endless.
    fc.configureGlobal({ seed: 20_260_301, endOnFailure: true });
  }

  capabilities() {
    return { reloadEnvironment: true };
  }

  async dryRun(): Promise<DryRunResult> {
    const results = await this.#run(await this.#load(), (id) => {
      this.#switches.currentTestId = id;
    });
    this.#switches.currentTestId = undefined;
    const { mutantCoverage } = this.#switches;
    writeFileSync(this.#firstRunFile, JSON.stringify(firstRunOf(results, mutantCoverage)));
    return { status: DryRunStatus.Complete, tests: results, ...(mutantCoverage && { mutantCoverage }) };
  }

  async mutantRun({ activeMutant, testFilter }: MutantRunOptions): Promise<MutantRunResult> {
    this.#firstRun ??= JSON.parse(readFileSync(this.#firstRunFile, 'utf8')) as FirstRun;
    const ranked = this.#rankedFor(activeMutant.id, testFilter && new Set(testFilter));
    const known = testFilter && (await this.#runShared(activeMutant.id, ranksOf(ranked)));
    if (known) return known;
    this.#activate(activeMutant.id);
    return this.#resultOf(await this.#runFresh(ranksOf(ranked.slice(0, this.#mostFresh))));
  }

  /** The tests that may run: first those that noticed something last, then those that reach what few tests reach near it. */
  #rankedFor(mutant: string, chosen: ReadonlySet<string> | undefined): string[] {
    const { tests = [], reachedBy = {}, took = {} } = this.#firstRun ?? {};
    const ranks = new Map<string, number>();
    for (let far = 0; far <= NEIGHBOURS; far += 1)
      for (const neighbour of [Number(mutant) + far, Number(mutant) - far])
        for (const test of reachedBy[neighbour] ?? []) {
          const [id = '', rank] = [tests[test], (reachedBy[neighbour]?.length ?? 0) + far];
          if (rank < (ranks.get(id) ?? Number.POSITIVE_INFINITY)) ranks.set(id, rank);
        }
    const last = this.#noticedBy.slice(0, TRIED_FIRST);
    const rankOf = (id: string) =>
      last.includes(id) ? last.indexOf(id) - TRIED_FIRST : (ranks.get(id) ?? tests.length + NEIGHBOURS);
    return tests
      .filter((id) => chosen?.has(id) ?? true)
      .toSorted((a, b) => rankOf(a) - rankOf(b) || (took[a] ?? 0) - (took[b] ?? 0));
  }

  /** File by file, because a file that is not needed costs its loading. */
  async #runFresh(likely: ReadonlyMap<string, number>): Promise<TestResult[]> {
    const results: TestResult[] = [];
    this.#imports.begin();
    for (const file of new Set([...likely.keys()].map(fileOf))) {
      const tests = await this.#loadFile(file);
      results.push(...(await this.#run(inOrder(tests, likely))));
      if (results.at(-1)?.status === TestStatus.Failed || this.#isEndless()) break;
    }
    return results;
  }

  /** Undefined if fresh modules have to decide. */
  async #runShared(mutant: string, likely: ReadonlyMap<string, number>): Promise<MutantRunResult | undefined> {
    this.#deactivate();
    this.#shared ??= await this.#load();
    const tests = inOrder(this.#shared, likely);
    this.#activate(mutant);
    const results = await this.#run(tests);
    const result = this.#resultOf(results);
    this.#deactivate();
    const failed = tests.find(({ id }) => id === results.at(-1)?.id);
    const isOfMutant = result.status === 'killed' && failed && (await failureOf(failed.run)) === undefined;
    if (isOfMutant) return result;
    this.#shared = undefined;
    return result.status === 'timeout' ? result : undefined;
  }

  #activate(mutant: string): void {
    this.#switches.activeMutant = mutant;
    this.#switches.hitLimit = Math.max(LEAST_LIMIT, MOST_HITS * (this.#firstRun?.hits[mutant] ?? 0));
    this.#switches.hitCount = 0;
  }

  #deactivate(): void {
    this.#switches.activeMutant = undefined;
    this.#switches.hitLimit = undefined;
    this.#switches.hitCount = undefined;
  }

  #resultOf(tests: TestResult[]): MutantRunResult {
    const { hitCount, hitLimit } = this.#switches;
    return toMutantRunResult(determineHitLimitReached(hitCount, hitLimit) ?? { status: DryRunStatus.Complete, tests });
  }

  async #run(tests: readonly LoadedTest[], before?: (id: string) => void): Promise<TestResult[]> {
    const results: TestResult[] = [];
    for (const { id, name, fileName, run } of tests) {
      const began = performance.now();
      before?.(id);
      if (this.#switches.hitCount !== undefined) this.#switches.hitCount = 0;
      const failure = await failureOf(run);
      const shared = { id, name, fileName, timeSpentMs: performance.now() - began };
      if (failure === undefined) results.push({ ...shared, status: TestStatus.Success });
      else results.push({ ...shared, status: TestStatus.Failed, failureMessage: failure });
      // A test that fails says enough, and one that catches the end of an endless loop may pass.
      if (failure !== undefined) this.#remember(id);
      if (failure !== undefined || this.#isEndless()) break;
    }
    return results;
  }

  #isEndless(): boolean {
    const { hitCount, hitLimit } = this.#switches;
    return determineHitLimitReached(hitCount, hitLimit) !== undefined;
  }

  /** All tests, in fresh modules. */
  async #load(): Promise<LoadedTest[]> {
    const tests = [];
    this.#imports.begin();
    for (const file of this.#files) tests.push(...(await this.#loadFile(file)));
    return tests;
  }

  async #loadFile(file: string): Promise<LoadedTest[]> {
    const fileName = join(process.cwd(), file);
    const failure = await failureOf(() => this.#imports.import(fileName));
    const found = takeTests();
    const loaded = failure === undefined ? found : [{ name: UNLOADED, run: () => Promise.reject(failure) }];
    return loaded
      .filter(({ name }) => !this.#leftOut.some((part) => name.includes(part)))
      .map((one) => ({ ...one, id: `${file}: ${one.name}`, fileName }));
  }

  #remember(id: string): void {
    const known = this.#noticedBy.indexOf(id);
    if (known >= 0) this.#noticedBy.splice(known, 1);
    this.#noticedBy.unshift(id);
  }
}

function firstRunOf(results: readonly TestResult[], coverage: MutantCoverage | undefined): FirstRun {
  const hits: Record<string, number> = {};
  for (const counts of [coverage?.static ?? {}, ...Object.values(coverage?.perTest ?? {})])
    for (const [mutant, count] of Object.entries(counts)) hits[mutant] = Math.max(hits[mutant] ?? 0, count);
  const tests = results.map(({ id }) => id);
  const reachedBy = new Map<string, number[]>();
  for (const [place, id] of tests.entries())
    for (const mutant of Object.keys(coverage?.perTest[id] ?? {}))
      reachedBy.getOrInsertComputed(mutant, () => []).push(place);
  const took = Object.fromEntries(results.map(({ id, timeSpentMs }) => [id, timeSpentMs]));
  return { took, hits, tests, reachedBy: Object.fromEntries(reachedBy) };
}

const ranksOf = (ids: readonly string[]): ReadonlyMap<string, number> => new Map(ids.map((id, rank) => [id, rank]));

/** Those that are likely, by rank. A file that could not be loaded says so first. */
function inOrder(tests: readonly LoadedTest[], likely: ReadonlyMap<string, number>): LoadedTest[] {
  const chosen = tests.filter(({ id, name }) => name === UNLOADED || likely.has(id));
  return chosen.toSorted((a, b) => (likely.get(a.id) ?? -1) - (likely.get(b.id) ?? -1));
}

const fileOf = (id: string): string => id.slice(0, id.indexOf(': '));

async function failureOf(run: () => unknown): Promise<string | undefined> {
  try {
    await run();
    return undefined;
  } catch (error) {
    return String(error);
  }
}

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'group', GroupTestRunner)];
