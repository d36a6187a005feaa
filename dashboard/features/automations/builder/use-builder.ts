import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { FieldFault } from '../../../lib/problem.ts'
import { siteTagged, type Tagged } from '../../../lib/site.ts'
import type { Automation } from '../../../lib/site-types.ts'
import { type Draft, useDraft } from '../../../lib/use-draft.ts'
import { keyOf } from '../../../lib/use-site.ts'
import { flowOf } from '../flow.ts'
import { type Line, treeOf } from '../flow-tree.ts'
import { useReferenceNames } from '../reference-names.ts'
import type { NameOf } from '../rule-words.ts'
import type { Definition } from './edit-flow.ts'
import { isWithin, movedPointer, type PlacedFault, placedFault } from './fault-places.ts'
import { historyOf, record, redo, undo } from './history.ts'
import { type EditRow, editRows } from './outline-rows.ts'

export type Written = { name: string; definition: Definition; scenarios: Record<string, unknown>[] }

/** An automation while it is built: the one model that outline, canvas and forms show and change. */
export type Builder = {
  id: string
  draft: Draft<Written>
  definition: Definition
  tree: Line
  rows: readonly EditRow[]
  faults: readonly PlacedFault[]
  /** Of what was just put in, which somebody is still filling in. */
  open: readonly PlacedFault[]
  /** Has the step of a row, or a part of it, be filled in at leisure, until it is left or the draft is to be saved. */
  begin: (key: string, pointer?: string) => void
  /** Of what the scenarios say, with the pointers of the server. */
  scenarioFaults: readonly FieldFault[]
  referenceName: NameOf
  /** Changes of one `group` that follow each other are undone together; `told` is said to readers. */
  edit: (definition: Definition, note?: { told?: string; group?: string }) => void
  undo: (() => void) | undefined
  redo: (() => void) | undefined
  told: string
  tell: (told: string) => void
}

const writtenOf = ({ value, etag }: Tagged<Automation>): Tagged<Written> => ({
  value: { name: value.name, definition: value.definition, scenarios: value.scenarios },
  etag,
})

export function useBuilder({ value, etag }: Tagged<Automation>, at: string): Builder {
  const { id } = value
  const params = { id }
  const client = useQueryClient()
  const take = (tagged: Tagged<Automation>) => {
    client.setQueryData([...keyOf('GET /automations/{id}', { params }), 'tagged'], tagged)
    client.setQueryData(keyOf('GET /automations/{id}', { params }), tagged.value)
    return writtenOf(tagged)
  }
  const draft = useDraft<Written>({
    name: `automation ${id}`,
    initial: writtenOf({ value, etag }),
    read: async () => take(await siteTagged('GET /automations/{id}', { params })),
    save: async (change, ifMatch) =>
      take(await siteTagged('PATCH /automations/{id}', { params, body: change as never, ifMatch })),
  })
  const { definition } = draft.value
  const [history, setHistory] = useState(() => historyOf(definition))
  const [told, tell] = useState('')
  // After a conflict theirs may have come instead: that is a step too, and can be taken back.
  useEffect(() => setHistory((before) => record(before, definition)), [definition])
  const tree = useMemo(() => treeOf(flowOf(definition)), [definition])
  const rows = useMemo(() => editRows(tree), [tree])
  const go = (to: typeof history | undefined, word: string) =>
    to &&
    (() => {
      setHistory(to)
      draft.change({ definition: to.now })
      tell(word)
    })
  const { isFresh, begin, end } = useFresh(at, definition)
  const { faults, scenarioFaults } = useFaults(draft)
  return {
    id,
    draft: {
      ...draft,
      flush() {
        end()
        return draft.flush()
      },
    },
    definition,
    tree,
    rows,
    faults: faults.filter((fault) => !isFresh(fault)),
    open: faults.filter(isFresh),
    begin,
    scenarioFaults,
    referenceName: useReferenceNames(definition),
    edit(next, { told: words, group } = {}) {
      if (next === definition) return
      setHistory((before) => record(before, next, group))
      draft.change({ definition: next })
      if (words !== undefined) tell(words)
    },
    undo: go(undo(history), 'Undone.'),
    redo: go(redo(history), 'Done again.'),
    told,
    tell,
  }
}

/** What was just put in: parts of a row, as long as it, or a way out of it, is what is chosen. */
function useFresh(at: string, definition: Definition) {
  const [fresh, setFresh] = useState<{ key: string; parts: readonly string[] }>()
  useMoved(definition, (moved) =>
    setFresh((now) => now && { ...now, parts: now.parts.flatMap((part) => moved(part) ?? []) }),
  )
  const last = useRef(at)
  useEffect(() => {
    if (last.current === at) return
    last.current = at
    setFresh((now) =>
      now !== undefined && (at === now.key || at.startsWith(now.key.replace(/^step/, 'way'))) ? now : undefined,
    )
  }, [at])
  return {
    isFresh: ({ key, pointer }: PlacedFault) =>
      key === fresh?.key && fresh.parts.some((part) => isWithin(pointer, part)),
    begin: (key: string, pointer = '') =>
      setFresh((now) => ({ key, parts: [...(now?.key === key ? now.parts : []), pointer] })),
    end: () => setFresh(undefined),
  }
}

/** What the server has said of the last state it was given, until it takes one. */
function useFaults({ state, value }: Draft<Written>): Pick<Builder, 'faults' | 'scenarioFaults'> {
  const [faults, setFaults] = useState<readonly FieldFault[]>([])
  useMoved(value, (moved) =>
    setFaults((now) =>
      now.flatMap((fault) => {
        const pointer = moved(fault.pointer)
        return pointer === undefined ? [] : { ...fault, pointer }
      }),
    ),
  )
  useEffect(() => {
    if (state.is === 'saved') setFaults([])
    if (state.is === 'refused') setFaults(state.problem.errors)
  }, [state])
  return useMemo(() => {
    const isOfScenario = ({ pointer }: FieldFault) => pointer.startsWith('/scenarios')
    return {
      faults: faults.filter((fault) => !isOfScenario(fault)).map(placedFault),
      scenarioFaults: faults.filter(isOfScenario),
    }
  }, [faults])
}

/** Has pointers into a value follow what they lead to when it changes. */
function useMoved(value: object, move: (moved: (pointer: string) => string | undefined) => void) {
  const last = useRef(value)
  const latest = useRef(move)
  latest.current = move
  useEffect(() => {
    const before = last.current
    last.current = value
    if (before !== value) latest.current((pointer) => movedPointer(pointer, before, value))
  }, [value])
}
