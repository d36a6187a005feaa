import { useCan } from '../../../lib/permissions.ts'
import { sentence } from '../../../lib/sentence.ts'
import { useSite } from '../../../lib/use-site.ts'
import { NamesField } from '../../../ui/names-field.tsx'
import { TextArea } from '../../../ui/text-area.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { text } from '../flow-node.ts'
import type { FormProps } from './step-form.tsx'

const KNOWN_MAX = 500

/** Who of the workspace is told, and what. */
export function NotifyForm({ node, faultAt, change }: FormProps) {
  const can = useCan()
  const members = useSite('GET /members', { query: { pageSize: KNOWN_MAX } }, { enabled: can('members:read') })
  const known = (members.data?.items ?? []).map(({ email }) => email)
  const named = Array.isArray(node.members) ? node.members.map(text) : []
  const faults = { subject: faultAt('/subject'), message: faultAt('/message') }
  return (
    <>
      <TextField
        label="Subject"
        placeholder="Somebody begins a trial"
        value={text(node.subject)}
        error={faults.subject && sentence(faults.subject)}
        onChange={(event) => change({ subject: event.currentTarget.value })}
      />
      <TextArea
        label="Message"
        description="Beside who it is and when: what to do, with the variables of mails, such as {{ first_name }} or {{ event.plan }}."
        value={text(node.message)}
        error={faults.message && sentence(faults.message)}
        onChange={(event) => change({ message: event.currentTarget.value || undefined })}
      />
      <NamesField
        label="Members to tell"
        description="Nobody here: all owners. Whoever leaves the workspace is not told any more."
        placeholder={named.length === 0 ? 'All owners' : ''}
        value={named}
        known={known}
        error={faultAt('/members')}
        onChange={(next) => change({ members: next.length === 0 ? undefined : next })}
      />
      <p className="soft">
        The first is told at once; whoever comes within ten minutes after a mail is told in the next one.
      </p>
    </>
  )
}
