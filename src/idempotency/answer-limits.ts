/**
 * Decides which stored answers an account can no longer keep: the oldest go first. The count is in memory and per
 * process, because counting an account's rows for each request would cost more than storing one. A restart forgets the
 * count; earlier answers still expire after a day.
 */
export interface KeptAnswer {
  readonly keyHash: string;
  readonly expiresAt: Date;
  /** 0 if only the key is stored. */
  readonly bytes: number;
}

export interface Limits {
  /** Per account. */
  readonly keys: number;
  /** Per account. */
  readonly bytes: number;
  /** Over all accounts. Beyond it, the account with the oldest count is forgotten. */
  readonly counted: number;
}

interface Account {
  readonly answers: KeptAnswer[];
  /** The answers before this index are dropped; their keys are kept. */
  firstKept: number;
  bytes: number;
}

export class AnswerLimits {
  readonly #limits: Limits;
  readonly #accounts = new Map<string, Account>();
  #counted = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Returns the answers to drop, and the keys to forget, now that this one is stored. */
  add(userId: string, answer: KeptAnswer): { readonly answers: KeptAnswer[]; readonly keys: KeptAnswer[] } {
    const account = this.#accounts.get(userId) ?? { answers: [], firstKept: 0, bytes: 0 };
    this.#accounts.set(userId, account);
    account.answers.push(answer);
    account.bytes += answer.bytes;
    this.#counted += 1;
    const dropped = { answers: this.#dropAnswers(account), keys: this.#forgetKeys(account) };
    if (this.#counted > this.#limits.counted) this.#forgetFirstAccount();
    return dropped;
  }

  #dropAnswers(account: Account): KeptAnswer[] {
    const dropped: KeptAnswer[] = [];
    while (account.bytes > this.#limits.bytes) {
      const oldest = account.answers[account.firstKept] as KeptAnswer;
      account.firstKept += 1;
      account.bytes -= oldest.bytes;
      if (oldest.bytes > 0) dropped.push(oldest);
    }
    return dropped;
  }

  #forgetKeys(account: Account): KeptAnswer[] {
    const forgotten = account.answers.splice(0, Math.max(0, account.answers.length - this.#limits.keys));
    for (const { bytes } of forgotten.slice(account.firstKept)) account.bytes -= bytes;
    account.firstKept = Math.max(0, account.firstKept - forgotten.length);
    this.#counted -= forgotten.length;
    return forgotten;
  }

  #forgetFirstAccount(): void {
    const [first] = this.#accounts;
    if (!first) return;
    this.#accounts.delete(first[0]);
    this.#counted -= first[1].answers.length;
  }
}
