import { useState } from 'react'
import { keepDraft, keptDraft, restoredDraft } from '../../lib/kept-draft.ts'
import type { Broadcast } from '../../lib/site-types.ts'
import { Button } from '../../ui/controls.tsx'
import { Notice } from '../../ui/notice.tsx'
import { draftNameOf, type Written, writtenOf } from './broadcast-draft.ts'
import type { BroadcastStatus } from './broadcast-words.ts'

/** Words that this browser keeps and the broadcast goes without: it was no draft any more when they were to be saved. */
export function LeftOutWords({ broadcast }: { broadcast: Broadcast }) {
  const { id, status } = broadcast
  const name = draftNameOf(id)
  const [isOver, setOver] = useState(false)
  const there = { value: writtenOf(broadcast), etag: undefined }
  const { change } = restoredDraft<Written>(keptDraft(name), there)
  if (isOver || status === 'draft' || Object.keys(change).length === 0) return null
  const throwAway = () => {
    keepDraft(name, { change: {} })
    setOver(true)
  }
  const comesBack = status === 'scheduled' || status === 'failed'
  return (
    <Notice
      tone="warn"
      actions={
        <Button small onClick={throwAway}>
          Throw mine away
        </Button>
      }
    >
      It was {DONE[status]} before what you wrote last was saved: your words are not in it.
      {comesBack && ' This browser keeps them: make it a draft again to put them in.'}
    </Notice>
  )
}

const DONE: Readonly<Record<Exclude<BroadcastStatus, 'draft'>, string>> = {
  scheduled: 'scheduled',
  sending: 'sent',
  paused: 'sent',
  sent: 'sent',
  canceled: 'canceled',
  failed: 'sent',
}
