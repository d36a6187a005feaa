import { createSignal } from '../lib/signal.ts'

export const paletteAsked = createSignal(false)
