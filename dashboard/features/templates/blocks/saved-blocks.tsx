import { useState } from 'react'
import { useCan } from '../../../lib/permissions.ts'
import { site } from '../../../lib/site.ts'
import type { SavedBlockSummary } from '../../../lib/site-types.ts'
import { useAct, useSite } from '../../../lib/use-site.ts'
import { Button, IconButton } from '../../../ui/controls.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { useFormFaults } from '../../../ui/form.ts'
import { Form, FormField } from '../../../ui/form-field.tsx'
import { PencilIcon, TrashIcon } from '../../../ui/icons.tsx'
import { Shown } from '../../../ui/states.tsx'
import { sayProblem } from '../../../ui/toasts.tsx'
import { blockName } from './block-kinds.ts'
import classes from './blocks.module.css'

const SHOWN_MAX = 100

type Props = { onInsert: (element: string, body: string) => void; onClose: () => void }

/** Blocks that the workspace keeps: put into the mail, renamed, deleted. */
export default function SavedBlocks({ onInsert, onClose }: Props) {
  const [page, setPage] = useState(1)
  const blocks = useSite('GET /saved-blocks', { query: { pageSize: SHOWN_MAX, page } }, { keep: true })
  return (
    <Dialog wide title="Saved blocks" opened onClose={onClose}>
      <Shown read={blocks} rows={3}>
        {({ items, totalPages }) =>
          items.length === 0 ? (
            <p className="soft">
              A block that you use again and again, a footer or a signature: choose it in a mail, press “Save this
              block”, and it is here for every other mail.
            </p>
          ) : (
            <>
              <ul className={classes.saved} aria-label="Saved blocks">
                {items.map((block) => (
                  <SavedBlockLine key={block.id} block={block} onInsert={onInsert} />
                ))}
              </ul>
              {totalPages > 1 && (
                <div className={classes.savedPages}>
                  <Button small disabled={page === 1} onClick={() => setPage(page - 1)}>
                    Earlier
                  </Button>
                  <Button small disabled={page >= totalPages} onClick={() => setPage(page + 1)}>
                    Later
                  </Button>
                </div>
              )}
            </>
          )
        }
      </Shown>
    </Dialog>
  )
}

type LineProps = { block: SavedBlockSummary; onInsert: (element: string, body: string) => void }

function SavedBlockLine({ block, onInsert }: LineProps) {
  const can = useCan()
  const [state, setState] = useState<'shown' | 'renamed' | 'deleted' | 'taken'>('shown')
  const remove = useAct('DELETE /saved-blocks/{id}', { changes: ['/saved-blocks'] })
  const { id, name, element } = block
  const params = { id }
  const insert = async () => {
    setState('taken')
    try {
      const { body } = await site('GET /saved-blocks/{id}', { params })
      onInsert(element, body)
    } catch (error) {
      setState('shown')
      sayProblem(error)
    }
  }
  if (state === 'renamed') return <RenameBlock block={block} onClose={() => setState('shown')} />
  if (state === 'deleted') {
    return (
      <li>
        <span>Delete “{name}”? Mails that have it keep it.</span>
        <Button small onClick={() => setState('shown')}>
          Keep it
        </Button>
        <Button
          small
          kind="danger"
          busy={remove.isPending}
          onClick={() => void remove.mutateAsync({ params }).catch(sayProblem)}
        >
          Delete
        </Button>
      </li>
    )
  }
  return (
    <li>
      <span>
        {name} <span className="soft">{blockName(element)}</span>
      </span>
      <Button small busy={state === 'taken'} onClick={() => void insert()}>
        Insert<span className="visually-hidden"> {name}</span>
      </Button>
      {can('templates:write') && (
        <>
          <IconButton label={`Rename ${name}`} icon={PencilIcon} tooltip={false} onClick={() => setState('renamed')} />
          <IconButton label={`Delete ${name}`} icon={TrashIcon} tooltip={false} onClick={() => setState('deleted')} />
        </>
      )}
    </li>
  )
}

function RenameBlock({ block, onClose }: { block: SavedBlockSummary; onClose: () => void }) {
  const [name, setName] = useState(block.name)
  const faults = useFormFaults(['/name'])
  const rename = useAct('PATCH /saved-blocks/{id}', { changes: ['/saved-blocks'] })
  return (
    <li>
      <Form
        faults={faults}
        onSubmit={() => {
          rename
            .mutateAsync({ params: { id: block.id }, body: { name } })
            .then(onClose)
            .catch(faults.take)
        }}
        actions={
          <>
            <Button small onClick={onClose}>
              Cancel
            </Button>
            <Button small type="submit" kind="primary" busy={rename.isPending}>
              Rename
            </Button>
          </>
        }
      >
        <FormField label="Name" pointer="/name" faults={faults} value={name} onChange={setName} autoFocus />
      </Form>
    </li>
  )
}
