import { useSyncExternalStore } from 'react'

/** A value that any number of components follow and that plain code may set. */
export type Signal<T> = { get(): T; set(value: T): void; subscribe(listener: () => void): () => void }

export function createSignal<T>(initial: T): Signal<T> {
  let value = initial
  const listeners = new Set<() => void>()
  return {
    get: () => value,
    set(next) {
      value = next
      for (const listener of listeners) listener()
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

export function useSignal<T>(signal: Signal<T>): T {
  return useSyncExternalStore(signal.subscribe, signal.get)
}
