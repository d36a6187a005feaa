import { useState } from 'react'
import { Button } from '../../ui/controls.tsx'
import { FormProblem } from '../../ui/form-problem.tsx'
import { DeviceDesktopIcon, DeviceMobileIcon, FileTextIcon, MoonIcon } from '../../ui/icons.tsx'
import { MailFrame } from '../../ui/mail-frame.tsx'
import { Loading } from '../../ui/states.tsx'
import { inboxWords } from './inbox-words.ts'
import classes from './mail-preview.module.css'
import { PersonPicker } from './person-picker.tsx'
import type { ChosenBlock } from './use-chosen-block.ts'
import type { Preview } from './use-preview.ts'

const LOOKS = [
  { look: 'desktop', name: 'Desktop', icon: DeviceDesktopIcon },
  { look: 'phone', name: 'Phone', icon: DeviceMobileIcon },
  { look: 'dark', name: 'Dark', icon: MoonIcon },
  { look: 'forced', name: 'Forced dark', icon: MoonIcon },
  { look: 'text', name: 'Text', icon: FileTextIcon },
] as const

type Props = {
  preview: Preview
  fromName: string
  contactId: string
  onContact: (contactId: string) => void
  /** The block that is worked on, and choosing it where it is seen; without, its links can be followed. */
  blocks?: ChosenBlock | undefined
}

/** The mail as its reader gets it: in the list of an inbox, and opened. */
export function MailPreview({
  preview: { preview, problem, faults, subjectFault, isBehind },
  fromName,
  contactId,
  onContact,
  blocks,
}: Props) {
  const [look, setLook] = useState<(typeof LOOKS)[number]['look']>('desktop')
  return (
    <section className={classes.preview} aria-label="Preview">
      <div className={classes.bar}>
        <fieldset className={classes.looks}>
          <legend className="visually-hidden">How to look at it</legend>
          {LOOKS.map(({ look: one, name, icon }) => (
            <Button key={one} small kind="quiet" icon={icon} aria-pressed={look === one} onClick={() => setLook(one)}>
              {name}
            </Button>
          ))}
        </fieldset>
        <PersonPicker value={contactId} onChange={onContact} />
      </div>
      {problem && <FormProblem problem={problem} />}
      {preview === undefined ? (
        isBehind && problem === undefined ? (
          <div className={classes.nothing}>
            <Loading rows={4} label="The preview is made" />
          </div>
        ) : (
          <p className={classes.nothing}>
            {subjectFault !== undefined || faults.some(({ severity }) => severity === 'error')
              ? 'It can be shown once what is wrong with it is mended.'
              : 'What you write is shown here as your readers get it.'}
          </p>
        )
      ) : (
        <div aria-busy={isBehind}>
          <dl className={classes.inbox}>
            <dt className="visually-hidden">In an inbox</dt>
            <dd>
              <strong>{fromName}</strong>
              <span>{preview.subject || 'No subject'}</span>
              <span className="soft">{inboxWords(preview.html)}</span>
            </dd>
          </dl>
          {look === 'forced' && (
            <p className={classes.note}>
              About as in programs that turn the colours of every mail over by themselves: each does it in its own way.
            </p>
          )}
          {look === 'text' ? (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a long text is scrolled by keys too
            <pre className={classes.text} tabIndex={0}>
              {preview.text}
            </pre>
          ) : (
            <MailFrame
              html={preview.html}
              title="The mail"
              phone={look === 'phone'}
              dark={look === 'forced' ? 'forced' : look === 'dark'}
              {...(blocks
                ? { marked: blocks.chosen, onPick: blocks.choose, mover: isBehind ? undefined : blocks.mover }
                : {})}
            />
          )}
        </div>
      )}
    </section>
  )
}
