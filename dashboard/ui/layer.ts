import { createContext } from 'react'

/** A dialog or drawer, as the forms in it know it. */
export type Layer = {
  /** Of each form in it: whether it holds something typed that nobody has saved. */
  forms: Set<() => boolean>
  /** Asks whether what was typed may go; the answer. */
  ask: () => Promise<boolean>
}

export const LayerContext = createContext<Layer | undefined>(undefined)
