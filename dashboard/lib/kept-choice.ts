import { SLUG } from './workspace-here.ts'

const keyOf = (name: string) => `postroom-choice ${SLUG} ${name}`

/** What was chosen once in this workspace, for as long as the browser keeps it. */
export function keptChoice(name: string): string | undefined {
  try {
    return localStorage.getItem(keyOf(name)) ?? undefined
  } catch {
    return undefined
  }
}

/** A browser that is full, or keeps nothing, has it chosen until the page is left. */
export function keepChoice(name: string, value: string): void {
  try {
    localStorage.setItem(keyOf(name), value)
  } catch {
    return
  }
}
