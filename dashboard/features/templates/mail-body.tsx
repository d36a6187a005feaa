import type { ReactNode } from 'react'
import { lazyPart } from '../../lib/load-part.ts'
import { Loading } from '../../ui/states.tsx'
import type { ChosenBlock } from './use-chosen-block.ts'
import type { Preview } from './use-preview.ts'

const MailEditor = lazyPart(() => import('./mail-editor.tsx'), <Loading rows={11} label="The editor is loading" />)

type Props = {
  value: string
  onChange: (body: string) => void
  preview: Preview
  blocks: ChosenBlock
  readOnly?: boolean
  /** What else is to be said of it, as items of the list of its faults. */
  hints?: ReactNode
}

/** A mail where it is written, with what the server has to say of it. */
export function MailBody({ value, onChange, preview, blocks, readOnly = false, hints }: Props) {
  return (
    <div>
      <p className="field-label">Mail</p>
      <MailEditor
        value={value}
        onChange={onChange}
        faults={preview.faults}
        readOnly={readOnly}
        variables={preview.preview?.variables ?? []}
        blocks={blocks}
        hints={hints}
      />
    </div>
  )
}
