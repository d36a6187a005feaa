import { useState } from 'react'
import { countText, numberText } from '../../lib/format.ts'
import { isProblem, type SiteProblem } from '../../lib/problem.ts'
import type { CustomFieldRetype, SiteCustomField } from '../../lib/site-types.ts'
import { useAct, useSite } from '../../lib/use-site.ts'
import { Button, Select } from '../../ui/controls.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { FormProblem } from '../../ui/form-problem.tsx'
import { HalfWritten } from '../../ui/half-written.tsx'
import { ContactLink } from '../contacts/contact-link.tsx'
import { type FieldType, TYPE_OPTIONS, TYPES } from './field-types.ts'

const POLL_MS = 1_000

/** Another type for a field: first it is looked at what would not fit, then it is done. */
export function RetypeField({ field, onClose }: { field: SiteCustomField; onClose: () => void }) {
  const [type, setType] = useState<FieldType>(field.type)
  const [asked, setAsked] = useState<'dry' | 'real'>()
  const [problem, setProblem] = useState<SiteProblem>()
  const retype = useAct('POST /custom-fields/{id}/retype', { changes: ['/custom-fields'] })
  const params = { id: field.id }
  const isRunning = (report: CustomFieldRetype | undefined) => report === undefined || report.state === 'running'
  const read = useSite(
    'GET /custom-fields/{id}/retype',
    { params },
    { enabled: asked !== undefined, pollMs: (report) => isRunning(report) && POLL_MS },
  )
  const report = asked === undefined ? undefined : read.data
  const start = (dryRun: boolean) => {
    setProblem(undefined)
    retype
      .mutateAsync({ params, body: { type, dryRun } })
      .then(() => setAsked(dryRun ? 'dry' : 'real'))
      .catch((error: unknown) => {
        if (!isProblem(error)) throw error
        setProblem(error)
      })
  }
  // The report of it may be read before the answer to the act is.
  const isGiven = asked === 'real' || report?.dryRun === false
  const isLooked = !isGiven && asked === 'dry' && !isRunning(report)
  return (
    <Dialog title={`Change the type of “${field.name}”`} opened onClose={onClose}>
      <HalfWritten isKept={isGiven}>
        <div className="form">
          <Select
            label="Type"
            value={type}
            options={TYPE_OPTIONS}
            onChange={(event) => {
              setType(event.currentTarget.value as FieldType)
              setAsked(undefined)
            }}
          />
          {report && <Report report={report} />}
          {problem && <FormProblem problem={problem} />}
          <div className="form-actions">
            <Button onClick={onClose}>{isGiven ? 'Close' : 'Cancel'}</Button>
            {!isGiven && (
              <Button
                kind={isLooked ? 'default' : 'primary'}
                busy={asked === 'dry' && !isLooked}
                onClick={() => start(true)}
              >
                See what fits
              </Button>
            )}
            {isLooked && (
              <Button kind="primary" busy={retype.isPending} onClick={() => start(false)}>
                Make it {TYPES[type].toLowerCase()}
              </Button>
            )}
          </div>
        </div>
      </HalfWritten>
    </Dialog>
  )
}

const SAMPLES_SHOWN = 8

function Report({ report }: { report: CustomFieldRetype }) {
  const { state, dryRun, fitting, unfit, examined, samples } = report
  return (
    <div className="words" role="status">
      <p>
        {state === 'running'
          ? `Looked at ${countText(examined, 'contact')} so far. `
          : `${dryRun ? 'Looked at' : 'Done:'} ${countText(examined, 'contact')}. `}
        {numberText(fitting)} {fitting === 1 ? 'value fits' : 'values fit'}, {numberText(unfit)}{' '}
        {unfit === 1 ? 'does' : 'do'} not
        {unfit > 0 && ' and stay as they are'}.
      </p>
      {samples.length > 0 && (
        <ul className="plain-list">
          {samples.slice(0, SAMPLES_SHOWN).map(({ contactId, value }) => (
            <li key={contactId}>
              <ContactLink contactId={contactId} />: <code>{JSON.stringify(value)}</code>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
