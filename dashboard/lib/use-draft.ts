import { useCallback, useEffect, useRef, useState } from 'react'
import { hasLanded, keepDraft, keptDraft, restoredDraft, withUnanswered } from './kept-draft.ts'
import { isProblem, type SiteProblem } from './problem.ts'
import type { Tagged } from './site.ts'

const REST_MS = 1_000
const AGAIN_MS = 5_000

export type SaveState =
  | { is: 'saved'; at: number }
  | { is: 'unsaved' }
  | { is: 'saving' }
  /** The server does not take it as it is; it stays in this browser until it is changed. */
  | { is: 'refused'; problem: SiteProblem }
  /** There was no answer; it is tried again. */
  | { is: 'waiting' }
  /** Somebody else was faster. */
  | { is: 'conflict' }

type Parts<T extends object> = {
  /** Names what is kept in this browser until the server has it. */
  name: string
  initial: Tagged<T>
  /** Saves these fields on top of what the tag stands for. */
  save: (change: Partial<T>, etag: string | undefined) => Promise<Tagged<T>>
  /** As it is on the server now. */
  read: () => Promise<Tagged<T>>
}

export type Draft<T extends object> = {
  value: T
  state: SaveState
  /** Of the last state that the server has acknowledged. */
  etag: string | undefined
  change: (change: Partial<T>) => void
  /** Saves at once what is not saved yet; true when the server has all of it. */
  flush: () => Promise<boolean>
  /** After a conflict: writes one's own over it, or takes what is there. */
  resolve: (as: 'mine' | 'theirs') => Promise<void>
  /** Whether it began with changes that this browser had kept. */
  isRestored: boolean
}

/**
 * Something that is written over a long time and saves itself a second after the last key: field by field, one request at a
 * time, each on top of the last. Until the server has acknowledged a change it is kept in this browser as well.
 */
export function useDraft<T extends object>({ name, initial, save, read }: Parts<T>): Draft<T> {
  const [restored] = useState(() => restoredDraft(keptDraft(name), initial))
  const isRestored = Object.keys(restored.change).length > 0
  const [value, setValue] = useState<T>(() => ({ ...initial.value, ...restored.change }))
  const [state, setState] = useState<SaveState>(() =>
    restored.isConflict ? { is: 'conflict' } : isRestored ? { is: 'unsaved' } : { is: 'saved', at: Date.now() },
  )
  const [etag, setEtag] = useState(restored.etag)
  const tag = useRef(restored.etag)
  const dirty = useRef<Partial<T>>(restored.change)
  const unanswered = useRef<readonly Partial<T>[]>([])
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const running = useRef<Promise<boolean>>(undefined)
  const calls = useRef({ save, read })
  calls.current = { save, read }

  const takeIn = useCallback((saved: Tagged<T>) => {
    tag.current = saved.etag
    setEtag(saved.etag)
  }, [])

  const keep = useCallback(
    () => keepDraft(name, { etag: tag.current, change: dirty.current, unanswered: unanswered.current }),
    [name],
  )

  /** A save whose answer was lost may have taken effect: then the newer state is one's own, and this goes on top of it. */
  const saveOnTop = useCallback(
    async (sent: Partial<T>): Promise<Tagged<T>> => {
      try {
        return await calls.current.save(sent, tag.current)
      } catch (error) {
        if (isProblem(error) && error.passes) unanswered.current = withUnanswered(unanswered.current, sent)
        if (!isProblem(error, 412) || unanswered.current.length === 0) throw error
        const there = await calls.current.read()
        if (!hasLanded(unanswered.current, there.value)) throw error
        takeIn(there)
        unanswered.current = []
        setValue({ ...there.value, ...sent, ...dirty.current })
        return saveOnTop(sent)
      }
    },
    [takeIn],
  )

  const flush = useCallback(async (): Promise<boolean> => {
    clearTimeout(timer.current)
    // What is on its way comes first; the rest goes on top of it.
    while (running.current) await running.current
    const sent = dirty.current
    if (Object.keys(sent).length === 0) return true
    const run = async (): Promise<boolean> => {
      dirty.current = {} as Partial<T>
      setState({ is: 'saving' })
      try {
        takeIn(await saveOnTop(sent))
        unanswered.current = []
      } catch (error) {
        if (!isProblem(error)) throw error
        dirty.current = { ...sent, ...dirty.current }
        keep()
        setState(stateAfter(error))
        if (error.passes) timer.current = setTimeout(() => void flush(), AGAIN_MS)
        return false
      }
      keep()
      const isAll = Object.keys(dirty.current).length === 0
      setState(isAll ? { is: 'saved', at: Date.now() } : { is: 'unsaved' })
      return isAll
    }
    running.current = run().finally(() => {
      running.current = undefined
    })
    return running.current
  }, [keep, saveOnTop, takeIn])

  const change = useCallback(
    (next: Partial<T>) => {
      dirty.current = { ...dirty.current, ...next }
      keep()
      setValue((before) => ({ ...before, ...next }))
      setState((before) => (before.is === 'conflict' ? before : { is: 'unsaved' }))
      clearTimeout(timer.current)
      timer.current = setTimeout(() => void flush(), REST_MS)
    },
    [keep, flush],
  )

  const resolve = useCallback(
    async (as: 'mine' | 'theirs') => {
      const there = await calls.current.read()
      takeIn(there)
      unanswered.current = []
      if (as === 'mine') {
        // What one has not touched is theirs, here as there.
        setValue({ ...there.value, ...dirty.current })
        await flush()
        return
      }
      dirty.current = {} as Partial<T>
      keep()
      setValue(there.value)
      setState({ is: 'saved', at: Date.now() })
    },
    [keep, flush, takeIn],
  )

  const isIdle = useCallback(() => !running.current && Object.keys(dirty.current).length === 0, [])
  const takeAll = useCallback(
    (there: Tagged<T>) => {
      if (there.etag === tag.current) return
      takeIn(there)
      setValue(there.value)
      setState({ is: 'saved', at: Date.now() })
    },
    [takeIn],
  )
  useNewer({ etag: initial.etag, tag, isIdle, calls, take: takeAll })
  useLeaving(dirty, flush)
  useEffect(() => {
    if (isRestored && !restored.isConflict) void flush()
  }, [isRestored, restored, flush])
  useEffect(
    () => () => {
      clearTimeout(timer.current)
      void flush()
    },
    [flush],
  )
  return { value, state, etag, change, flush, resolve, isRestored }
}

type Newer<T extends object> = {
  etag: string | undefined
  tag: { current: string | undefined }
  isIdle: () => boolean
  calls: { current: { read: () => Promise<Tagged<T>> } }
  take: (there: Tagged<T>) => void
}

/**
 * Takes in what was changed elsewhere, as by publishing, while nothing is unsaved here. It is read anew for that: an answer
 * that was on its way during a save is older than what was saved.
 */
function useNewer<T extends object>({ etag, tag, isIdle, calls, take }: Newer<T>): void {
  useEffect(() => {
    if (etag === tag.current || !isIdle()) return
    const before = tag.current
    calls.current.read().then(
      (there) => {
        if (tag.current === before && isIdle()) take(there)
      },
      // The next save says what is the matter.
      (error: unknown) => {
        if (!isProblem(error)) throw error
      },
    )
  }, [etag, tag, isIdle, calls, take])
}

/** A tab that goes out of sight saves; one that is closed with something unsaved asks. */
function useLeaving(dirty: { current: object }, flush: () => Promise<boolean>): void {
  useEffect(() => {
    const onHide = () => document.visibilityState === 'hidden' && void flush()
    const onLeave = (event: BeforeUnloadEvent) => {
      if (Object.keys(dirty.current).length > 0) event.preventDefault()
    }
    document.addEventListener('visibilitychange', onHide)
    addEventListener('beforeunload', onLeave)
    return () => {
      document.removeEventListener('visibilitychange', onHide)
      removeEventListener('beforeunload', onLeave)
    }
  }, [dirty, flush])
}

function stateAfter(problem: SiteProblem): SaveState {
  if (problem.status === 412) return { is: 'conflict' }
  return problem.passes ? { is: 'waiting' } : { is: 'refused', problem }
}
