import { useEffect, useReducer, useState } from 'react'
import { keepDraft, keptDraft, restoredDraft } from '../../lib/kept-draft.ts'
import type { Broadcast } from '../../lib/site-types.ts'
import { NOW, type When, whenPlanned } from './when.ts'

/** The server knows of a time only once it is scheduled for it: until then this browser keeps what was chosen. */
const nameOf = (id: string) => `time of broadcast ${id}`
const AGAIN_MS = 10_000

const keepWhen = (id: string, when: When) => keepDraft<When>(nameOf(id), { change: when.is === 'now' ? {} : when })

function keptWhen(id: string): When {
  const { change } = restoredDraft<When>(keptDraft(nameOf(id)), { value: NOW, etag: undefined })
  return { ...NOW, ...change } as When
}

/** When a draft is to start, and how to change that; it is looked at again as time passes. */
export function useWhen(id: string): [When, (when: When) => void] {
  const [when, setWhen] = useState(() => keptWhen(id))
  const [, again] = useReducer((times: number) => times + 1, 0)
  const isTimed = when.is !== 'now'
  useEffect(() => {
    if (!isTimed) return
    const timer = setInterval(again, AGAIN_MS)
    return () => clearInterval(timer)
  }, [isTimed])
  const change = (next: When) => {
    keepWhen(id, next)
    setWhen(next)
  }
  return [when, change]
}

/** Keeps the time of one that is scheduled, in case that it is made a draft again, until it has begun. */
export function useKeptPlan(broadcast: Broadcast): void {
  const { id, status } = broadcast
  useEffect(() => {
    if (status === 'scheduled') keepWhen(id, whenPlanned(broadcast))
    else if (status !== 'draft' && status !== 'failed') keepWhen(id, NOW)
  }, [id, status, broadcast])
}
