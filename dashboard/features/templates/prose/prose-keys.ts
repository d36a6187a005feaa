import { Extension, InputRule } from '@tiptap/core'
import type { Command } from '@tiptap/pm/state'
import { lineBreak, newLine } from './prose-commands.ts'

const LIQUID = /(?:\{\{[^{}]*\}\}|\{%[^{}%]*%\})$/

/** Keys of prose, and Liquid that is typed becoming one with its closing bracket. Undo is the mail's own. */
export const ProseKeys = Extension.create({
  name: 'prose-keys',
  priority: 1_000,
  addKeyboardShortcuts() {
    const run = (command: Command) => () => command(this.editor.state, this.editor.view.dispatch)
    return {
      Enter: run(newLine),
      'Shift-Enter': run(lineBreak),
      'Mod-b': () => this.editor.commands.toggleMark('bold'),
      'Mod-i': () => this.editor.commands.toggleMark('italic'),
    }
  },
  addInputRules() {
    return [
      new InputRule({
        find: LIQUID,
        handler: ({ state, range, match }) => {
          const [raw] = match
          const marks = state.storedMarks ?? state.selection.$from.marks()
          state.tr.replaceWith(range.from, range.to, state.schema.nodes.value!.create({ raw }, null, marks))
        },
      }),
    ]
  },
})
