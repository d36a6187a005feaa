import { useState } from 'react'
import { useCan } from '../../lib/permissions.ts'
import type { SiteCustomField } from '../../lib/site-types.ts'
import { useAct, useSite } from '../../lib/use-site.ts'
import { pageNumber, useUrlState } from '../../lib/use-url-state.ts'
import { AsCurl } from '../../ui/as-curl.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Button, IconButton } from '../../ui/controls.tsx'
import { Copyable } from '../../ui/copyable.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { DotsIcon, PencilIcon, PlusIcon, RefreshIcon, TrashIcon } from '../../ui/icons.tsx'
import { InUse } from '../../ui/in-use.tsx'
import { Menu } from '../../ui/menu.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { PagedTable } from '../../ui/paged-table.tsx'
import { AdjustmentsHorizontalIcon } from '../../ui/rare-icons.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { AudienceTabs } from '../contacts/audience-tabs.tsx'
import { EditField } from './edit-field.tsx'
import { TYPES } from './field-types.ts'
import { RetypeField } from './retype-field.tsx'

const RENAME_POLL_MS = 2_000

type Act = { kind: 'edit' | 'retype' | 'delete'; field: SiteCustomField } | { kind: 'new' }

/** Fields that the workspace added to contacts, declared or met. */
export default function FieldsPage() {
  const can = useCan()
  const [url, setUrl] = useUrlState({ page: '1' })
  const [act, setAct] = useState<Act>()
  const query = { page: pageNumber(url.page) }
  const fields = useSite(
    'GET /custom-fields',
    { query },
    // A rename says when it has ended.
    { keep: true, pollMs: ({ items }) => items.some(({ previousKey }) => previousKey !== null) && RENAME_POLL_MS },
  )
  const mayWrite = can('custom_fields:write')
  const close = () => setAct(undefined)
  const newField = mayWrite && (
    <Button kind="primary" icon={PlusIcon} onClick={() => setAct({ kind: 'new' })}>
      New field
    </Button>
  )
  return (
    <>
      <PageHeader
        title="Custom fields"
        actions={
          <>
            <AsCurl operation="GET /custom-fields" query={query} />
            {newField}
          </>
        }
      >
        What you know of contacts besides name and address. A key that your program sends becomes a field by itself, of
        the type of its first value, and lets in values of others until you choose its type.
      </PageHeader>
      <AudienceTabs />
      <PagedTable
        read={fields}
        label="Custom fields"
        columns={columnsOf(mayWrite ? setAct : undefined)}
        noun="field"
        setUrl={setUrl}
        none={
          <EmptyState title="No fields of your own yet" icon={AdjustmentsHorizontalIcon} actions={newField}>
            Declare one, such as a plan or a birthday, and values are held to its type. Templates and segments can use
            it.
          </EmptyState>
        }
      />
      {act?.kind === 'new' && <EditField onClose={close} />}
      {act?.kind === 'edit' && <EditField field={act.field} onClose={close} />}
      {act?.kind === 'retype' && <RetypeField field={act.field} onClose={close} />}
      {act?.kind === 'delete' && <DeleteField field={act.field} onClose={close} />}
    </>
  )
}

function DeleteField({ field, onClose }: { field: SiteCustomField; onClose: () => void }) {
  const remove = useAct('DELETE /custom-fields/{id}', { changes: ['/custom-fields', '/contacts'] })
  return (
    <ConfirmDialog
      title={`Delete the field “${field.name}”`}
      opened
      onClose={onClose}
      action="Delete field"
      danger
      Refusal={InUse}
      typed={field.key}
      onConfirm={() => remove.mutateAsync({ params: { id: field.id } })}
    >
      <p>
        Its value is removed from every contact that has one, and templates that name it show nothing there. This cannot
        be undone.
      </p>
    </ConfirmDialog>
  )
}

function columnsOf(setAct: ((act: Act) => void) | undefined): Column<SiteCustomField>[] {
  return [
    { id: 'name', head: 'Field', cell: ({ name }) => <span className="row-name">{name}</span> },
    {
      id: 'key',
      head: 'Key',
      narrow: true,
      cell: ({ key, previousKey, formerKeys }) => (
        <>
          <Copyable text={key} what={`the key ${key}`} />
          {previousKey === null && formerKeys.length > 0 && (
            <div className="soft" title="Templates, programs and forms shown earlier that name it mean this field.">
              before: {formerKeys.join(', ')}
            </div>
          )}
        </>
      ),
    },
    { id: 'type', head: 'Type', narrow: 'below', cell: ({ type }) => TYPES[type] },
    {
      id: 'origin',
      head: 'Values of other types',
      narrow: 'below',
      cell: ({ declared, previousKey }) =>
        previousKey !== null ? (
          <StatusBadge tone="info">Renaming from {previousKey}</StatusBadge>
        ) : declared ? (
          <StatusBadge tone="good" title="Somebody has chosen the type: each new value is of it, or is refused.">
            Refused
          </StatusBadge>
        ) : (
          <StatusBadge
            tone="neutral"
            title="The type is that of the first value that came; others are let in. “Change the type” settles it."
          >
            Let in
          </StatusBadge>
        ),
    },
    ...(setAct
      ? [
          {
            id: 'acts',
            head: '',
            width: '56px',
            narrow: true,
            cell: (field: SiteCustomField) => (
              <Menu
                target={<IconButton label={`More for ${field.name}`} icon={DotsIcon} tooltip={false} />}
                entries={[
                  { label: 'Rename', icon: PencilIcon, onSelect: () => setAct({ kind: 'edit', field }) },
                  { label: 'Change the type', icon: RefreshIcon, onSelect: () => setAct({ kind: 'retype', field }) },
                  { label: 'Delete', icon: TrashIcon, danger: true, onSelect: () => setAct({ kind: 'delete', field }) },
                ]}
              />
            ),
          },
        ]
      : []),
  ]
}
