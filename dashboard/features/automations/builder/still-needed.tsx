import { faultyPart, isWithin } from './fault-places.ts'
import { faultText } from './fault-words.ts'
import type { Builder } from './use-builder.ts'

type Props = { builder: Builder; rowKey: string; pointer?: string }

/** What was just put in still needs, at it or at a part of it: no fault, as somebody is filling it in. */
export function StillNeeded({ builder: { open, definition }, rowKey, pointer = '' }: Props) {
  return open
    .filter((fault) => fault.key === rowKey && isWithin(fault.pointer, pointer))
    .map((fault) => (
      <p key={`${fault.pointer} ${fault.detail}`} className="soft">
        {faultText(fault, faultyPart(definition, fault))}
      </p>
    ))
}
