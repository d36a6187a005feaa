import { useState } from 'react'
import { useHere } from '../../../lib/permissions.ts'
import { sentence } from '../../../lib/sentence.ts'
import { Drawer } from '../../../ui/drawer.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { MailBody } from '../../templates/mail-body.tsx'
import { MailPreview } from '../../templates/mail-preview.tsx'
import { TextPart } from '../../templates/text-part.tsx'
import { useChosenBlock } from '../../templates/use-chosen-block.ts'
import { usePreview } from '../../templates/use-preview.ts'
import { text } from '../flow-node.ts'
import classes from './builder.module.css'
import type { FormProps } from './step-form.tsx'

type Props = Pick<FormProps, 'node' | 'change'> & { onClose: () => void }

/** A mail of an automation where it is written, with what comes of it below. */
export default function MailDrawer({ node, change, onClose }: Props) {
  const { workspace } = useHere()
  const [contactId, setContactId] = useState('')
  const blocks = useChosenBlock()
  const mail = {
    subject: text(node.subject),
    body: text(node.body),
    text: typeof node.text === 'string' ? node.text : null,
  }
  const preview = usePreview(mail, contactId)
  return (
    <Drawer title="The mail" opened wide onClose={onClose}>
      <div className={classes.mail}>
        <TextField
          label="Subject"
          value={mail.subject}
          maxLength={1_000}
          error={preview.subjectFault && sentence(preview.subjectFault)}
          onChange={(event) => change({ subject: event.currentTarget.value })}
        />
        <MailBody value={mail.body} onChange={(body) => change({ body })} preview={preview} blocks={blocks} />
        <TextPart value={mail.text} onChange={(part) => change({ text: part ?? undefined })} preview={preview} />
        <MailPreview
          preview={preview}
          fromName={workspace.name}
          contactId={contactId}
          onContact={setContactId}
          blocks={blocks}
        />
      </div>
    </Drawer>
  )
}
