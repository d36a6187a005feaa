import { type EditorState, MapMode, StateEffect, StateField, type Transaction } from '@codemirror/state'
import type { Edit } from './edit-mail.ts'

/** Chooses the block that begins at this offset, or none. */
const choose = StateEffect.define<number | null>()

/** Where the chosen block begins: it goes along with every change of the text, and with the block when that goes. */
export const chosenBlock = StateField.define<number | null>({
  create: () => null,
  update(chosen, { changes, effects }) {
    const mapped = chosen === null ? null : changes.mapPos(chosen, 1, MapMode.TrackDel)
    return effects.reduce((before, effect) => (effect.is(choose) ? effect.value : before), mapped)
  },
})

export const choosing = (chosen: number | null) => ({ effects: choose.of(chosen) })

/** An act on blocks as one step of the editor's one history; what is typed in one go is one. */
export function editing(state: EditorState, { changes, chosen, isTyping }: Edit): Transaction {
  return state.update({ changes, effects: choose.of(chosen), userEvent: isTyping ? 'input.type' : 'input.block' })
}
