import { useState } from 'react'
import type { ContactImport } from '../../lib/site-types.ts'
import { useAct, useSite } from '../../lib/use-site.ts'
import { Button } from '../../ui/controls.tsx'
import { useFormFaults } from '../../ui/form.ts'
import { FormProblem } from '../../ui/form-field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Panel } from '../../ui/panel.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { ColumnTarget } from './column-target.tsx'
import { ConsentChoice } from './consent-choice.tsx'
import classes from './imports.module.css'

const FIELDS_MAX = 500
const IDENTIFIERS = ['email', 'subjectId', 'phone']

/** The second and third step: what each column is, and whether these people agreed. Consent is asked, never assumed. */
export function MapColumns({ one }: { one: ContactImport }) {
  const [mapping, setMapping] = useState<Record<string, string>>(one.suggestedMapping as Record<string, string>)
  const [tags, setTags] = useState('')
  const [consent, setConsent] = useState<'confirmed' | 'unconfirmed'>()
  const faults = useFormFaults([])
  const fields = useSite('GET /custom-fields', { query: { pageSize: FIELDS_MAX } })
  const start = useAct('POST /contacts/imports/{id}/start', {
    changes: ['/contacts/imports', '/contacts', '/tags', '/custom-fields'],
  })
  const knowsPeople = Object.values(mapping).some((target) => IDENTIFIERS.includes(target))
  const submit = () => {
    faults.clear()
    const named = tags
      .split(',')
      .map((tag) => tag.trim())
      .filter(Boolean)
    start
      .mutateAsync({ params: { id: one.id }, body: { mapping, tags: named, ...(consent ? { consent } : {}) } })
      .catch(faults.take)
  }
  return (
    <>
      <Panel title="Columns" note="what each one is" flush>
        <table className={classes.mapping}>
          <thead>
            <tr>
              <th scope="col">In the file</th>
              <th scope="col" className={classes.samples}>
                First values
              </th>
              <th scope="col">Goes to</th>
            </tr>
          </thead>
          <tbody>
            {one.columns.map(({ name, samples }) => (
              <tr key={name}>
                <th scope="row">{name || '(no name)'}</th>
                <td className={classes.samples}>{samples.filter(Boolean).slice(0, 3).join(' · ') || 'empty'}</td>
                <td>
                  <ColumnTarget
                    column={name}
                    target={mapping[name] ?? 'ignore'}
                    known={(fields.data?.items ?? []).map(({ key }) => key)}
                    onChange={(target) => setMapping({ ...mapping, [name]: target })}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Panel>
      {!knowsPeople && (
        <Notice tone="warn">One column has to say who people are: their email, phone, or your own id of them.</Notice>
      )}
      <div className={classes.narrow}>
        <ConsentChoice chosen={consent} onChange={setConsent} />
        <TextField
          label="Tags for everybody in the file"
          description="With commas between them. New ones are created."
          value={tags}
          onChange={(event) => setTags(event.currentTarget.value)}
        />
        {faults.rest && <FormProblem problem={faults.rest} />}
        <div>
          <Button
            kind="primary"
            disabled={!knowsPeople || consent === undefined}
            busy={start.isPending}
            onClick={submit}
          >
            Import
          </Button>
        </div>
        {consent === undefined && <p className="soft">Say first whether these people agreed to your mail.</p>}
      </div>
    </>
  )
}
