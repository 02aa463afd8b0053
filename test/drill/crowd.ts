/** The people of a drill: each with a phone that syncs, and with hands that do several things at a time. */
import { setTimeout as delay } from 'node:timers/promises';
import { Random } from '../simulation/random.ts';
import type { Seen } from './accounting.ts';
import type { Book } from './book.ts';
import { Hand } from './hand.ts';
import type { Installation } from './installation.ts';
import { observe, phoneOf } from './observe.ts';
import { DrillPerson, type Equipment } from './person.ts';
import type { Providers } from './providers.ts';

const PEOPLE: readonly Equipment[] = ['phones', 'phones', 'phones', 'app', 'app', 'mail'];
const HANDS_EACH = 2;
const IMPATIENCE = 0.1;
const PACE = { thinkMs: [200, 900] } as const;
const SYNC_EVERY_MS = 2_000;

type Phone = ReturnType<typeof phoneOf>;

interface Member {
  readonly person: DrillPerson;
  readonly phone: Phone;
}

export class Crowd {
  readonly #book: Book;
  readonly #providers: Providers;
  readonly #random: Random;
  readonly #people: readonly Member[];

  constructor(book: Book, installation: Installation, providers: Providers, random: Random) {
    this.#book = book;
    this.#providers = providers;
    this.#random = random;
    this.#people = PEOPLE.map((equipment, index) => {
      const person = new DrillPerson(book, installation, `person-${index}@example.org`, equipment);
      return { person, phone: phoneOf(person) };
    });
  }

  /** False if somebody could not. The book says why. */
  async arrive(): Promise<boolean> {
    const arriving = await Promise.allSettled(this.#people.map(({ person }) => person.arrive(this.#providers)));
    for (const { person } of this.#people) person.impatience = IMPATIENCE;
    return arriving.every(({ status }) => status === 'fulfilled');
  }

  /** Goes on until the signal. */
  async keepBusy(signal: AbortSignal): Promise<void> {
    const work = { book: this.#book, providers: this.#providers };
    const hands = this.#people.flatMap(({ person }) =>
      Array.from({ length: HANDS_EACH }, () => new Hand({ ...work, person, random: this.#draw() })),
    );
    await Promise.all([
      ...hands.map((hand) => hand.keepBusy(PACE, signal)),
      ...this.#people.map(({ phone }) => this.#keepSyncing(phone, signal)),
    ]);
  }

  #draw(): Random {
    return new Random(this.#random.below(2 ** 31));
  }

  async #keepSyncing(phone: Phone, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await phone.sync().catch((error: Error) => this.#book.violations.push(`a phone cannot sync: ${error.message}`));
      await delay(SYNC_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  observe(): Promise<Seen[]> {
    return Promise.all(this.#people.map(({ person, phone }) => observe(person, this.#book, phone)));
  }
}
