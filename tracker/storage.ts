import { mode } from './settings.ts'

/**
 * Texts by name, in localStorage where there is one and it may be used, else for as long as the page lives. A name is
 * written by one act alone, so that tabs, which share it, never take back what another has written.
 */

/** Begins every name of ours. */
export const OURS = 'pr_'

const memory: Record<string, string> = {}
let local: Record<string, string> = {}
try {
  if (mode !== 'cookieless') local = localStorage ?? local
} catch {
  // The browser keeps nothing for this site.
}

/** An empty text where there is nothing of that name. */
export const read = (name: string): string => local[name] ?? memory[name] ?? ''

/** Without `mayStore` for as long as the page lives. */
export function write(name: string, text: string, mayStore = true): void {
  remove(name)
  try {
    ;(mayStore ? local : memory)[name] = text
  } catch {
    memory[name] = text
  }
}

export function remove(name: string): void {
  delete local[name]
  delete memory[name]
}

/** Names that begin so, in their order. */
export const namesOf = (start: string): string[] =>
  Object.keys(local)
    .concat(Object.keys(memory))
    .filter((name) => name.startsWith(start))
    .sort()
