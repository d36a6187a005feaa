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
import { fieldOf, formatFor } from './column-formats.ts'
import { ColumnReading } from './column-reading.tsx'
import { Samples } from './column-samples.tsx'
import { ColumnTarget } from './column-target.tsx'
import { ConsentChoice, UnheededColumns, unheededColumns } from './consent-choice.tsx'
import classes from './imports.module.css'
import { forgetChoices, useChoices } from './kept-choices.ts'
import { TopicChoice } from './topic-choice.tsx'

const FIELDS_MAX = 500
const SAMPLES_SHOWN = 3
const MODES = {
  fill: {
    label: 'Fill blanks, overwrite custom fields',
    follows:
      'Name, email, phone, your id and time zone are filled where they are blank. Custom fields take the values of the file. An empty value changes nothing.',
  },
  overwrite: {
    label: 'Overwrite all',
    follows:
      'Name, email, phone, your id, time zone and custom fields take the values of the file. An empty value changes nothing.',
  },
} as const
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
  const known = fields.data?.items ?? []
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
            {one.columns.map((column) => {
              const { name } = column
              const target = mapping[name] ?? 'ignore'
              const field = fieldOf(target, known)
              const { [name]: format = formatFor(column, field), ...others } = formats
              return (
                <tr key={name}>
                  <th scope="row">{name || '(no name)'}</th>
                  <td className={classes.samples}>
                    <Samples values={column.samples.filter(Boolean).slice(0, SAMPLES_SHOWN)} />
                  </td>
                  <td>
                    <ColumnTarget
                      column={name}
                      target={target}
                      known={known.map(({ key }) => key)}
                      onChange={(next) => choose({ mapping: { ...mapping, [name]: next }, formats: others })}
                    />
                    <ColumnReading
                      {...{ column, target, field, format }}
                      onChange={(next) => choose({ formats: { ...formats, [name]: next } })}
                    />
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </Panel>
      {!knowsPeople && (
        <Notice tone="warn">One column has to say who people are: their email, phone, or your own id of them.</Notice>
      )}
      <UnheededColumns
        names={unheededColumns(
          mapping,
          one.columns.map(({ name }) => name),
        )}
      />
      <div className={classes.narrow}>
        <ConsentChoice chosen={consent} onChange={(next) => choose({ consent: next })} />
        <Select
          id="import-mode"
          label="People who are here already"
          description={MODES[mode].follows}
          value={mode}
          options={Object.entries(MODES).map(([value, { label }]) => ({ value, label }))}
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
