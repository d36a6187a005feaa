import type { ContactImport } from '../../lib/site-types.ts'
import { areKnown, useOnceKnown } from '../../lib/use-known.ts'
import { useAct, useSite } from '../../lib/use-site.ts'
import { Button, Select } from '../../ui/controls.tsx'
import { useFormFaults } from '../../ui/form.ts'
import { FormProblem } from '../../ui/form-problem.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Loading } from '../../ui/states.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { ColumnReading } from './column-reading.tsx'
import { Samples } from './column-samples.tsx'
import { ColumnTarget } from './column-target.tsx'
import { ConsentChoice } from './consent-choice.tsx'
import classes from './imports.module.css'
import { forgetChoices, useChoices } from './kept-choices.ts'
import { TopicChoice } from './topic-choice.tsx'

const FIELDS_MAX = 500
const SAMPLES_SHOWN = 3
const IDENTIFIERS = ['email', 'subjectId', 'phone']

/** The second and third step: what each column is, and whether these people agreed. Consent is asked, never assumed. */
export function MapColumns({ one }: { one: ContactImport }) {
  const [{ mapping, formats, mode, tags, topicIds, consent }, choose] = useChoices(one)
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
      .mutateAsync({
        params: { id: one.id },
        body: { mapping, formats, mode, tags: named, topicIds, ...(consent ? { consent } : {}) },
      })
      .then(() => forgetChoices(one.id))
      .catch(faults.take)
  }
  const isKnown = useOnceKnown(areKnown(fields))
  if (!isKnown) return <Loading rows={one.columns.length} />
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
            {one.columns.map((column) => (
              <tr key={column.name}>
                <th scope="row">{column.name || '(no name)'}</th>
                <td className={classes.samples}>
                  <Samples values={column.samples.filter(Boolean).slice(0, SAMPLES_SHOWN)} />
                </td>
                <td>
                  <ColumnTarget
                    column={column.name}
                    target={mapping[column.name] ?? 'ignore'}
                    known={(fields.data?.items ?? []).map(({ key }) => key)}
                    onChange={(target) => choose({ mapping: { ...mapping, [column.name]: target } })}
                  />
                  <ColumnReading
                    column={column}
                    target={mapping[column.name] ?? 'ignore'}
                    format={formats[column.name] ?? column.format}
                    onChange={(format) => choose({ formats: { ...formats, [column.name]: format } })}
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
        <ConsentChoice chosen={consent} onChange={(next) => choose({ consent: next })} />
        <Select
          id="import-mode"
          label="People who are here already"
          value={mode}
          options={[
            { value: 'fill', label: 'Keep what is there, fill what is blank' },
            { value: 'overwrite', label: 'Take the values of the file' },
          ]}
          onChange={(event) => choose({ mode: event.currentTarget.value as typeof mode })}
        />
        <TextField
          label="Tags for everybody in the file"
          description="With commas between them. New ones are created."
          value={tags}
          onChange={(event) => choose({ tags: event.currentTarget.value })}
        />
        <TopicChoice chosen={topicIds} onChange={(next) => choose({ topicIds: next })} />
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
