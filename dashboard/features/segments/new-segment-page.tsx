import { useNavigate } from '@tanstack/react-router'
import { useAct } from '../../lib/use-site.ts'
import { AsCurl } from '../../ui/as-curl.tsx'
import { Button } from '../../ui/controls.tsx'
import { useFormFaults } from '../../ui/form.ts'
import { Form, FormField } from '../../ui/form-field.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { newRule } from './rule-catalogue.ts'
import { textOf } from './rule-tree.ts'
import { SegmentEditor } from './segment-editor.tsx'
import classes from './segments.module.css'
import { useKeptDraft } from './use-kept-draft.ts'

const FIRST = { name: '', definition: textOf({ combinator: 'and', rules: [newRule('tag', 'tag')] }) }

/** A new segment; what was typed is kept on this machine until it is saved. */
export default function NewSegmentPage() {
  const navigate = useNavigate()
  const { draft, change, forget } = useKeptDraft('new', FIRST)
  const faults = useFormFaults(['/name'])
  const create = useAct('POST /segments', { changes: ['/segments'] })
  const submit = () => {
    return create
      .mutateAsync({ body: { name: draft.name, definition: draft.definition } })
      .then(({ value }) => {
        forget()
        return navigate({ to: `/segments/${value.id}` as never, replace: true })
      })
      .catch(faults.take)
  }
  return (
    <>
      <PageHeader
        title="New segment"
        back={{ to: '/segments', label: 'Segments' }}
        actions={<AsCurl operation="POST /segments/preview" body={{ definition: draft.definition }} />}
      >
        A rule about contacts. It holds no list: whoever fits is in it, whenever somebody asks.
      </PageHeader>
      <SegmentEditor
        definition={draft.definition}
        onChange={(definition) => change({ ...draft, definition })}
        readOnly={false}
      >
        <div className={classes.narrow}>
          <Form
            isKept
            faults={faults}
            onSubmit={submit}
            actions={
              <Button type="submit" kind="primary" busy={create.isPending}>
                Create segment
              </Button>
            }
          >
            <FormField
              label="Name"
              pointer="/name"
              faults={faults}
              value={draft.name}
              placeholder="Active customers"
              onChange={(name) => change({ ...draft, name })}
            />
          </Form>
        </div>
      </SegmentEditor>
    </>
  )
}
