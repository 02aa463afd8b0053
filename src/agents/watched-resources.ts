/**
 * Finds out which of some resources have changed, by the API's own sync. Each look is a call with the token of the
 * listener: it sees only what the token sees, and fails once the token no longer counts.
 */
import type { Agent } from './define-tool.ts';
import { zonedAt } from './format-time.ts';
import { readToday, TODAY_URI, taskUri } from './resources.ts';

interface ApiChanges {
  readonly tasks: readonly { readonly id: string }[];
  readonly removed: readonly string[];
  readonly server_time: string;
  readonly reset: boolean;
}

/** Further ahead than any moment that sync gives out, so it answers with its present moment and without tasks. */
const NEVER = '9999-01-01T00:00:00Z';

export class WatchedResources {
  readonly #uris: ReadonlySet<string>;
  readonly #loadAgent: () => Promise<Agent>;
  #since = NEVER;
  #today: { readonly day: string; readonly text: string } | undefined;
  /** What the last sync showed of each task. Sync may return a change twice. */
  #shown: ReadonlyMap<string, string> = new Map();

  constructor(uris: readonly string[], loadAgent: () => Promise<Agent>) {
    this.#uris = new Set(uris);
    this.#loadAgent = loadAgent;
  }

  /** Changes count from here on. */
  async start(): Promise<void> {
    const agent = await this.#loadAgent();
    await this.#readChanges(agent);
    if (this.#uris.has(TODAY_URI)) await this.#isOtherToday(agent);
  }

  /** The resources that have changed since the last look. */
  async findChanged(): Promise<readonly string[]> {
    const agent = await this.#loadAgent();
    const { tasks, removed, reset } = await this.#readChanges(agent);
    const shown = new Map(tasks.map((task) => [taskUri(task.id), JSON.stringify(task)]));
    const changed = [...shown].filter(([uri, text]) => this.#shown.get(uri) !== text).map(([uri]) => uri);
    this.#shown = shown;
    const found = new Set([...changed, ...removed.map(taskUri)]);
    const uris = [...this.#uris].filter((uri) => uri !== TODAY_URI && (reset || found.has(uri)));
    const mayBeOther = found.size > 0 || this.#today?.day !== dayOf(agent);
    const isOther = this.#uris.has(TODAY_URI) && mayBeOther && (await this.#isOtherToday(agent));
    return isOther ? [...uris, TODAY_URI] : uris;
  }

  /** Most changes of a task do not concern today, so the texts decide. */
  async #isOtherToday(agent: Agent): Promise<boolean> {
    const before = this.#today?.text;
    const text = await readToday(agent, { isTimed: false });
    this.#today = { day: dayOf(agent), text };
    return text !== before;
  }

  async #readChanges(agent: Agent): Promise<ApiChanges> {
    const { data } = await agent.api<ApiChanges>({ url: `/v1/sync?since=${encodeURIComponent(this.#since)}` });
    this.#since = data.server_time;
    return data;
  }
}

const dayOf = ({ now, zone }: Agent): string => zonedAt(now, zone).toPlainDate().toString();
