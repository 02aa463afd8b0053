/** A value that components can follow. */
import { useSyncExternalStore } from 'react';

export class Store<T> {
  #value: T;
  readonly #followers = new Set<() => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  set(value: T): void {
    this.#value = value;
    for (const follower of this.#followers) follower();
  }

  readonly follow = (follower: () => void): (() => void) => {
    this.#followers.add(follower);
    return () => this.#followers.delete(follower);
  };
}

export const useStore = <T>(store: Store<T>): T => useSyncExternalStore(store.follow, () => store.value);
