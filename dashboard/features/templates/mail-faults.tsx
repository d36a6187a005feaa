import type { ReactNode } from 'react'
import { sentence } from '../../lib/sentence.ts'
import { blockOnLine } from './blocks/block-on-line.ts'
import { nameOfRow } from './blocks/block-rows.ts'
import type { Mail } from './blocks/read-mail.ts'
import type { LineFault } from './code-editor.tsx'
import classes from './templates.module.css'

type Props = {
  faults: readonly LineFault[]
  /** The mail whose blocks are shown; without, it is shown by lines. */
  mail: Mail | undefined
  onChoose: (begin: number) => void
  /** What else is to be said of it, as items of the list. */
  hints: ReactNode
}

/** What the server has to say of a mail, each at its line, or at its block where one sees blocks. */
export function MailFaults({ faults, mail, onChoose, hints }: Props) {
  return (
    <ul className={classes.faults} aria-label="Faults of the mail">
      {faults.map(({ line, detail, severity }) => {
        const block = mail && line !== null ? blockOnLine(mail, line) : undefined
        return (
          <li key={`${line} ${detail}`} data-severity={severity}>
            {mail && block ? (
              <>
                <button type="button" className="text-button" onClick={() => onChoose(block.begin)}>
                  {nameOfRow(mail, block)}
                </button>
                {': '}
              </>
            ) : (
              line !== null && <span className="numbers">Line {line}: </span>
            )}
            {sentence(detail)}
          </li>
        )
      })}
      {hints}
    </ul>
  )
}
