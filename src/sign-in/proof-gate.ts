/** Checks every proof of identity: limits wrong attempts and writes each result to the audit log. */
import type { Audit, AuditEvent } from '../lib/audit.ts';
import { AppError } from '../lib/errors.ts';
import type { CodeSending, ProofSubject, ThrottleService } from '../limits/throttle.service.ts';

export interface ProofAttempt extends ProofSubject {
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

  /** `verify` resolves with undefined for a wrong proof. `auditFields` are added to the audit line of a right one. */
  async check<T>(
    event: AuditEvent,
    { account, guess, asksProvider, ...who }: ProofAttempt,
    verify: () => Promise<T | undefined>,
    auditFields: (result: T) => Readonly<Record<string, unknown>> = () => ({}),
  ): Promise<T | undefined> {
    const result = await this.#auditFailure(event, who, () =>
      this.#throttle.limitWrongProofs({ account, guess, asksProvider, address: who.address }, verify),
    );
    this.#audit.record(event, {
      result: result === undefined ? 'wrong' : 'ok',
      ...who,
      ...(result && auditFields(result)),
    });
    return result;
  }

  /** Code requests are counted too: each sends a mail, possibly to somebody else's address. */
  async countCodeRequest(email: string, address: string): Promise<CodeSending> {
    const count = () => this.#throttle.countCodeRequest(email, address);
    const sending = await this.#auditFailure('code_requested', { email, address }, count);
    this.#audit.record('code_requested', { result: 'ok', email, address, sending });
    return sending;
  }

  async #auditFailure<T>(
    event: AuditEvent,
    who: Omit<ProofAttempt, keyof ProofSubject> & { address: string },
    work: () => Promise<T>,
  ): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.#audit.record(event, { result: error instanceof AppError ? error.code : 'failed', ...who });
      throw error;
    }
  }
}
