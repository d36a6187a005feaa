import { countText } from '../../../lib/format.ts'
import { say } from '../../../ui/toasts.tsx'
import type { Place } from '../flow-tree.ts'
import { kindText } from '../node-words.ts'
import { clipOf, duplicateStep, pasteAt, readClip } from './clip-steps.ts'
import { blockOf, type Definition, insertStep, moveStep, nodesOf, removeStep } from './edit-flow.ts'
import { stepKey } from './outline-rows.ts'
import { newStepId, type StepKind } from './step-kinds.ts'
import type { Builder } from './use-builder.ts'

/** Acts on steps, each of them one change that can be taken back. */
export type Steps = {
  choose: (key: string) => void
  /** Asks for the kind of a new step. */
  add: (place: Place) => void
  insert: (place: Place, kind: StepKind) => void
  /** Takes a step out; of one with more hanging on it, asks what is to stay. */
  askRemove: (id: string) => void
  remove: (id: string, keep?: string) => void
  move: (id: string, place: Place | undefined) => void
  duplicate: (id: string) => void
  /** Answers what goes onto the clipboard. */
  copy: (id: string) => string
  cut: (id: string) => string
  paste: (place: Place, pasted?: string) => void
  nameOf: (id: string) => string
}

/** Where copied steps are kept for browsers that do not let a page read the clipboard. */
const KEPT = 'postroom-steps'

type Asked = {
  choose: (key: string) => void
  add: (place: Place) => void
  askRemove: (id: string) => void
  /** Leads to a row. */
  focus: (key: string) => void
}

export function useSteps(builder: Builder, { choose, add, askRemove, focus }: Asked): Steps {
  const { id: of, definition, edit } = builder
  const nameOf = (id: string) => kindText({ ...nodesOf(definition)[id], type: String(nodesOf(definition)[id]?.type) })
  const count = (one: Definition) => Object.keys(nodesOf(one)).length
  const come = (next: Definition, id: string, told: string) => {
    edit(next, { told })
    choose(stepKey(id))
    focus(stepKey(id))
  }
  const remove = (id: string, keep?: string) => {
    const next = removeStep(definition, id, keep)
    const gone = countText(count(definition) - count(next), 'step')
    edit(next, { told: `${gone} removed.` })
    choose(builder.rows[builder.rows.findIndex(({ key }) => key === stepKey(id)) - 1]?.key ?? '')
    say(`${gone} removed. Undo brings back what is gone.`)
  }
  const copy = (id: string) => {
    const text = JSON.stringify(clipOf(definition, id, of))
    keepClip(text)
    builder.tell(`${countText(blockOf(definition, id).ids.size, 'step')} copied.`)
    return text
  }
  return {
    choose,
    add,
    insert(place, kind) {
      const id = newStepId(kind.type)
      const next = insertStep(definition, place.edges, { id, make: kind.make })
      if (next === definition) return builder.tell('An end stands only where nothing follows.')
      come(next, id, `${kind.name} added.`)
      builder.begin(stepKey(id))
    },
    askRemove: (id) => (blockOf(definition, id).ids.size > 1 ? askRemove(id) : remove(id)),
    remove,
    move(id, place) {
      const next = place && moveStep(definition, id, place)
      if (next) edit(next, { told: `${nameOf(id)} moved.` })
    },
    duplicate(id) {
      const found = duplicateStep(definition, id, newStepId)
      if (found) come(found.definition, found.id, `${nameOf(id)} duplicated.`)
    },
    copy,
    cut(id) {
      const text = copy(id)
      remove(id)
      return text
    },
    paste(place, pasted) {
      const clip = readClip(pasted ?? '') ?? readClip(localStorage.getItem(KEPT) ?? '')
      if (clip === undefined) return builder.tell('No steps have been copied.')
      const found = pasteAt(definition, place.edges, { clip, of, newId: newStepId })
      come(found.definition, found.id, `${countText(Object.keys(clip.nodes).length, 'step')} put in.`)
    },
    nameOf,
  }
}

/** A browser that keeps nothing has the clipboard. */
function keepClip(text: string): void {
  try {
    localStorage.setItem(KEPT, text)
  } catch {
    return
  }
}
