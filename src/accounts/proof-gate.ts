/** Every proof of identity passes here: counted against guessing, judged, and written to the audit log. */
import { AppError } from '../lib/errors.ts';
import type { Audit, AuditEvent } from './audit.ts';
import type { ThrottleService } from './throttle.service.ts';

export interface Prover {
  /** What wrong proofs are counted against beside the address: an account or the email it would have. */
  readonly account?: string | undefined;
  readonly address: string;
  readonly email?: string | undefined;
  readonly user_id?: string | undefined;
}

export class ProofGate {
  readonly #throttle: ThrottleService;
  readonly #audit: Audit;

  constructor(throttle: ThrottleService, audit: Audit) {
    this.#throttle = throttle;
    this.#audit = audit;
  }

  /** The judge returns undefined for a wrong proof. `describe` words the audit line of a right one. */
  async judge<T>(
    event: AuditEvent,
    { account, ...who }: Prover,
    judge: () => Promise<T | undefined>,
    describe: (verdict: T) => Readonly<Record<string, unknown>> = () => ({}),
  ): Promise<T | undefined> {
    const verdict = await this.#recorded(event, who, () => this.#throttle.guard(account, who.address, judge));
    this.#audit.record(event, {
      result: verdict === undefined ? 'wrong' : 'ok',
      ...who,
      ...(verdict && describe(verdict)),
    });
    return verdict;
  }

  /** Asking for a code proves nothing, but sends mail to whoever the address belongs to. */
  async admitCodeRequest(email: string, address: string): Promise<void> {
    await this.#recorded('code_requested', { email, address }, () => this.#throttle.countCodeRequest(email, address));
    this.#audit.record('code_requested', { result: 'ok', email, address });
  }

  async #recorded<T>(event: AuditEvent, who: Omit<Prover, 'account'>, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.#audit.record(event, { result: error instanceof AppError ? error.code : 'failed', ...who });
      throw error;
    }
  }
}
