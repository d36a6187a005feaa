import { useCan } from '../../lib/permissions.ts'
import { sentence } from '../../lib/sentence.ts'
import { site } from '../../lib/site.ts'
import type { PreflightCheck } from '../../lib/site-types.ts'
import { subjectWords } from '../../lib/subject-words.ts'
import { useSite } from '../../lib/use-site.ts'
import { ActSelect } from '../../ui/act-select.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { sayProblem } from '../../ui/toasts.tsx'
import { MailBody } from '../templates/mail-body.tsx'
import { TextPart } from '../templates/text-part.tsx'
import type { ChosenBlock } from '../templates/use-chosen-block.ts'
import type { Preview } from '../templates/use-preview.ts'
import type { Written } from './broadcast-draft.ts'
import classes from './compose.module.css'
import { ComposeSection, sectionOf } from './compose-section.tsx'
import type { Fold } from './use-folds.ts'

const TEMPLATES_SHOWN = 200

type Props = {
  value: Written
  onChange: (change: Partial<Written>) => void
  preview: Preview
  checks: readonly PreflightCheck[]
  blocks: ChosenBlock
  fold: Fold | undefined
}

/** What it says: the name, the subject as an inbox shows it, and the mail itself. */
export function ComposeContent({ value, onChange, preview, checks, blocks, fold }: Props) {
  return (
    <ComposeSection
      title="Content"
      checks={checks.filter((check) => sectionOf(check) === 'Content')}
      fold={fold}
      summary={subjectWords(value.subject) || 'No subject yet'}
    >
      <div className={classes.fields}>
        <TextField
          label="Name"
          description="For you and your colleagues; recipients do not see it."
          value={value.name}
          maxLength={200}
          onChange={(event) => onChange({ name: event.currentTarget.value })}
        />
        <TextField
          label="Subject"
          placeholder="News for {{ first_name }}"
          value={value.subject}
          maxLength={1_000}
          error={preview.subjectFault && sentence(preview.subjectFault)}
          onChange={(event) => onChange({ subject: event.currentTarget.value })}
        />
        <TakeTemplate value={value} onTake={onChange} />
        <MailBody value={value.body} onChange={(body) => onChange({ body })} preview={preview} blocks={blocks} />
        <TextPart value={value.text} onChange={(text) => onChange({ text })} preview={preview} />
      </div>
    </ComposeSection>
  )
}

type TakeProps = { value: Written; onTake: (change: Partial<Written>) => void }

/** Begins with a text that is there: a template of the workspace, or one of the samples. A subject that was written stays. */
function TakeTemplate({ value, onTake }: TakeProps) {
  const can = useCan()
  const enabled = can('templates:read') && value.body.trim() === ''
  const templates = useSite('GET /templates', { query: { pageSize: TEMPLATES_SHOWN } }, { enabled })
  const samples = useSite('GET /templates/samples', {}, { enabled })
  if (!enabled) return null
  const take = async (choice: string) => {
    const [kind, key = ''] = choice.split(':')
    const found =
      kind === 'sample'
        ? samples.data?.items.find((sample) => sample.key === key)
        : await site('GET /templates/{id}', { params: { id: key } })
    if (!found) return
    onTake({ subject: value.subject.trim() ? value.subject : found.subject, body: found.body, text: found.text })
  }
  return (
    <ActSelect
      label="Begin with"
      asks="An empty mail"
      onTake={(choice) => void take(choice).catch(sayProblem)}
      options={[
        ...(templates.data?.items ?? []).map(({ id, name }) => ({ value: `template:${id}`, label: name })),
        ...(samples.data?.items ?? [])
          .filter(({ kind }) => kind !== 'transactional')
          .map(({ key, name }) => ({ value: `sample:${key}`, label: `${name} (sample)` })),
      ]}
    />
  )
}
