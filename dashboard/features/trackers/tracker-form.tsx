import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Tracker } from '../../lib/site-types.ts'
import { useAct } from '../../lib/use-site.ts'
import { ChoiceField } from '../../ui/choice.tsx'
import { Checkbox } from '../../ui/controls.tsx'
import { useFormFaults } from '../../ui/form.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { FormField } from '../../ui/form-field.tsx'
import { NamesField } from '../../ui/names-field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { CONSENT_MODES, type ConsentMode } from './tracker-words.ts'

const MODES = Object.keys(CONSENT_MODES) as ConsentMode[]
const POINTERS = ['/name', '/allowedOrigins', '/allowedActions', '/serverOnlyActions']

/** A new tracker as the server makes one: nothing before consent. */
const BLANK = {
  name: '',
  allowedOrigins: [] as string[],
  consentMode: 'required' as ConsentMode,
  allowedActions: [] as string[],
  serverOnlyActions: [] as string[],
  respectGpc: true,
  linkIdentity: false,
  autoMerge: false,
}

function valuesOf(tracker: Tracker): typeof BLANK {
  const { name, allowedOrigins, consentMode, allowedActions, serverOnlyActions } = tracker
  const { respectGpc, linkIdentity, autoMerge } = tracker
  return { name, allowedOrigins, consentMode, allowedActions, serverOnlyActions, respectGpc, linkIdentity, autoMerge }
}

type Props = { tracker?: Tracker; etag?: string | undefined; onClose: () => void }

/** Makes a tracker, whose page is where one goes on, or changes one. */
export default function TrackerForm({ tracker, etag, onClose }: Props) {
  const navigate = useNavigate()
  const [values, setValues] = useState(tracker ? valuesOf(tracker) : BLANK)
  // What was seen when it was opened, whatever is read meanwhile: a change of somebody else is refused, not lost.
  const [base, setBase] = useState(etag)
  const set = (change: Partial<typeof BLANK>) => setValues({ ...values, ...change })
  const faults = useFormFaults(POINTERS)
  const create = useAct('POST /trackers', { changes: ['/trackers'] })
  const update = useAct('PATCH /trackers/{id}', { changes: ['/trackers'] })
  const save = async (ifMatch: string | undefined) => {
    if (tracker) {
      await update.mutateAsync({ params: { id: tracker.id }, body: values, ifMatch })
      return onClose()
    }
    const { value } = await create.mutateAsync({ body: values })
    await navigate({ to: `/trackers/${value.id}` as never })
  }
  return (
    <FormDialog
      title={tracker ? 'Change tracker' : 'New tracker'}
      action={tracker ? 'Save' : 'Create tracker'}
      busy={create.isPending || update.isPending}
      faults={faults}
      conflict={{
        what: 'this tracker',
        busy: update.isPending,
        onMine: () => save(etag).catch(faults.take),
        onTheirs: () => {
          if (tracker) setValues(valuesOf(tracker))
          setBase(etag)
        },
      }}
      onSubmit={() => save(base).catch(faults.take)}
      onClose={onClose}
    >
      <FormField
        label="Name"
        pointer="/name"
        description="For you and your team, such as “Shop”."
        autoFocus
        faults={faults}
        value={values.name}
        onChange={(name) => set({ name })}
      />
      <NamesField
        label="Sites that may use it"
        description="Addresses without a path. https://*.shop.example is every subdomain of shop.example, not itself."
        placeholder="https://shop.example"
        value={values.allowedOrigins}
        known={[]}
        error={faults.at('/allowedOrigins')}
        onChange={(allowedOrigins) => set({ allowedOrigins })}
      />
      {values.allowedOrigins.length === 0 && (
        <Notice tone="warn">Without a site here, any site on the web can record visits under your key.</Notice>
      )}
      <ChoiceField
        label="Consent"
        value={values.consentMode}
        onChange={(consentMode) => set({ consentMode })}
        choices={MODES.map((value) => ({
          value,
          label: CONSENT_MODES[value].short,
          description: CONSENT_MODES[value].long,
        }))}
      />
      {tracker && values.consentMode !== tracker.consentMode && (
        <Notice>The line of HTML states the consent: copy it into your pages again once you have saved.</Notice>
      )}
      <Checkbox
        label="Take a browser’s “do not track me” (Global Privacy Control) for a no"
        checked={values.respectGpc}
        onChange={({ currentTarget }) => set({ respectGpc: currentTarget.checked })}
      />
      <IdentityFields values={values} onChange={set} />
      <EventFields values={values} onChange={set} faultAt={faults.at} />
    </FormDialog>
  )
}

type IdentityProps = {
  values: Pick<typeof BLANK, 'linkIdentity' | 'autoMerge' | 'allowedOrigins'>
  onChange: (change: Partial<IdentityProps['values']>) => void
}

/** Ways to recognise visitors that not everybody wants. */
function IdentityFields({ values: { linkIdentity, autoMerge, allowedOrigins }, onChange }: IdentityProps) {
  return (
    <>
      <Checkbox
        label="Take whoever follows a link of your mails for the one it was sent to, until they say otherwise"
        checked={linkIdentity}
        onChange={({ currentTarget }) => onChange({ linkIdentity: currentTarget.checked })}
      />
      {linkIdentity && (
        <Notice>
          {allowedOrigins.length === 0
            ? 'It begins when you name your sites: no others are told.'
            : 'A mail that is forwarded brings somebody else. Automations begin by such visits only where they ask for no more.'}
        </Notice>
      )}
      <Checkbox
        label="Merge a contact that a page has made with the one your server names in that browser, if it names all that the page said"
        checked={autoMerge}
        onChange={({ currentTarget }) => onChange({ autoMerge: currentTarget.checked })}
      />
    </>
  )
}

type EventProps = {
  values: Pick<typeof BLANK, 'allowedActions' | 'serverOnlyActions'>
  onChange: (change: Partial<EventProps['values']>) => void
  faultAt: (pointer: string) => string | undefined
}

/** Names of events that pages may record, and of those they may not. */
function EventFields({ values, onChange, faultAt }: EventProps) {
  return (
    <>
      <NamesField
        label="Events that pages may record"
        description="Empty: all but those below."
        placeholder="page.view"
        value={values.allowedActions}
        known={['page.view']}
        error={faultAt('/allowedActions')}
        onChange={(allowedActions) => onChange({ allowedActions })}
      />
      <NamesField
        label="Events that only your server may record"
        description="Anybody can make a page say anything. Name here what mail or money follows from."
        placeholder="order.paid"
        value={values.serverOnlyActions}
        known={[]}
        error={faultAt('/serverOnlyActions')}
        onChange={(serverOnlyActions) => onChange({ serverOnlyActions })}
      />
    </>
  )
}
