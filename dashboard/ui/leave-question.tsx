import { useEffect, useId, useRef } from 'react'
import { Button } from './controls.tsx'

/** Asks before what was typed goes. It stands in the place of the form, which waits unseen behind it. */
export default function LeaveQuestion({ onAnswer }: { onAnswer: (goes: boolean) => void }) {
  const words = useId()
  const stay = useRef<HTMLButtonElement>(null)
  useEffect(() => stay.current?.focus(), [])
  return (
    <div className="form">
      <div className="words" id={words} role="status">
        <p>Some of what you typed here is not saved. It is gone if you leave.</p>
      </div>
      <div className="form-actions">
        <Button kind="danger" onClick={() => onAnswer(true)}>
          Leave without saving
        </Button>
        <Button ref={stay} kind="primary" aria-describedby={words} onClick={() => onAnswer(false)}>
          Go on writing
        </Button>
      </div>
    </div>
  )
}
