import { useState } from 'react'
import { useCan, useHere } from '../../../lib/permissions.ts'
import { site } from '../../../lib/site.ts'
import type { AutomationTest } from '../../../lib/site-types.ts'
import { useAct } from '../../../lib/use-site.ts'
import { Button } from '../../../ui/controls.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { useFormFaults } from '../../../ui/form.ts'
import { Form, FormField } from '../../../ui/form-field.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { LiveTestTold } from './live-test-told.tsx'
import type { Builder } from './use-builder.ts'

/** One person goes through the draft in seconds, and whoever asks reads the mails. */
export default function LiveTestDialog({ builder, onClose }: { builder: Builder; onClose: () => void }) {
  const { user } = useHere()
  const mayName = useCan()('contacts:read')
  const [email, setEmail] = useState(user.email)
  const [person, setPerson] = useState('')
  const [unknown, setUnknown] = useState<string>()
  const [told, setTold] = useState<AutomationTest>()
  const faults = useFormFaults(['/email'])
  const test = useAct('POST /automations/{id}/test')
  const contactOf = async (address: string) => {
    const { items } = await site('GET /contacts', { query: { email: address, pageSize: 1 } })
    return items[0]?.id
  }
  const submit = async () => {
    const address = person.trim()
    const contactId = address === '' ? undefined : await contactOf(address)
    const isUnknown = address !== '' && contactId === undefined
    setUnknown(isUnknown ? address : undefined)
    if (isUnknown) return
    const body = { email, ...(contactId === undefined ? {} : { contactId }) }
    const { value } = await test.mutateAsync({ params: { id: builder.id }, body })
    setTold(value)
  }
  return (
    <Dialog title="Test on one person" wide opened onClose={onClose}>
      {told ? (
        <LiveTestTold told={told} builder={builder} onAgain={() => setTold(undefined)} onClose={onClose} />
      ) : (
        <Form
          isKept
          faults={faults}
          onSubmit={() => submit().catch(faults.take)}
          actions={
            <>
              <Button onClick={onClose}>Cancel</Button>
              <Button type="submit" kind="primary" busy={test.isPending}>
                Begin the test
              </Button>
            </>
          }
        >
          <p>
            One person goes through the draft from now on, each wait cut to three seconds. The mails come to you, their
            subjects beginning with “[Test]”. Nothing else is done, and nothing is counted.
          </p>
          <FormField
            label="Where the mails go"
            type="email"
            autoFocus
            faults={faults}
            pointer="/email"
            value={email}
            onChange={setEmail}
          />
          {mayName && (
            <TextField
              label="As whom"
              type="email"
              description="The address of a contact, whose fields, tags and past decide. Empty: a sample person."
              error={unknown === undefined ? undefined : `Nobody here has the address ${unknown}.`}
              value={person}
              onChange={({ currentTarget }) => setPerson(currentTarget.value)}
            />
          )}
        </Form>
      )}
    </Dialog>
  )
}
