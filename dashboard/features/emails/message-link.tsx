import { useState } from 'react'
import { lazyPart } from '../../lib/load-part.ts'

const MessageDialog = lazyPart(() => import('./message-dialog.tsx'))

/** A message by its id, with why it did or did not arrive. */
export function MessageLink({ messageId }: { messageId: string | null }) {
  const [isOpen, setOpen] = useState(false)
  if (messageId === null) return <span className="soft none">–</span>
  return (
    <>
      <button type="button" className="text-button" onClick={() => setOpen(true)}>
        See it
        <span className="visually-hidden">: message {messageId}</span>
      </button>
      {isOpen && <MessageDialog messageId={messageId} onClose={() => setOpen(false)} />}
    </>
  )
}
