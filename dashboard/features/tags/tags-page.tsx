import { useState } from 'react'
import { countText, numberText } from '../../lib/format.ts'
import { useCan } from '../../lib/permissions.ts'
import type { CountedTag } from '../../lib/site-types.ts'
import { useAct, useSite } from '../../lib/use-site.ts'
import { pageNumber, useUrlState } from '../../lib/use-url-state.ts'
import { AsCurl } from '../../ui/as-curl.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Button, IconButton } from '../../ui/controls.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { FilterBar, SearchField } from '../../ui/filter-bar.tsx'
import { DotsIcon, PencilIcon, PlusIcon, TagIcon, TrashIcon } from '../../ui/icons.tsx'
import { InUse } from '../../ui/in-use.tsx'
import { Link } from '../../ui/link.tsx'
import { Menu } from '../../ui/menu.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { PagedTable } from '../../ui/paged-table.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { AudienceTabs } from '../contacts/audience-tabs.tsx'
import { NameTag } from './name-tag.tsx'

const TYPED_ABOVE = 1_000

/** Every tag with how many contacts have it, exactly. */
export default function TagsPage() {
  const can = useCan()
  const [url, setUrl] = useUrlState({ search: '', page: '1' })
  const [named, setNamed] = useState<CountedTag | 'new'>()
  const [deleted, setDeleted] = useState<CountedTag>()
  const remove = useAct('DELETE /tags/{id}', { changes: ['/tags', '/contacts'] })
  const query = { search: url.search || undefined, page: pageNumber(url.page) }
  const tags = useSite('GET /tags', { query }, { keep: true })
  const mayWrite = can('contacts:write')
  return (
    <>
      <PageHeader
        title="Tags"
        actions={
          <>
            <AsCurl operation="GET /tags" query={query} />
            {mayWrite && (
              <Button kind="primary" icon={PlusIcon} onClick={() => setNamed('new')}>
                New tag
              </Button>
            )}
          </>
        }
      >
        Words that you give to contacts: by hand, by an import, or by your program.
      </PageHeader>
      <AudienceTabs />
      <FilterBar>
        <SearchField
          label="Search tags"
          value={url.search}
          onChange={(search) => setUrl({ search, page: '1' }, { replace: true })}
        />
      </FilterBar>
      <PagedTable
        read={tags}
        label="Tags"
        columns={columnsOf(mayWrite ? { rename: setNamed, remove: setDeleted } : undefined)}
        noun="tag"
        setUrl={setUrl}
        none={
          <EmptyState
            title={url.search === '' ? 'No tags yet' : 'No tag has that in its name'}
            icon={TagIcon}
            actions={
              mayWrite &&
              url.search === '' && (
                <Button kind="primary" icon={PlusIcon} onClick={() => setNamed('new')}>
                  New tag
                </Button>
              )
            }
          >
            A tag gathers people under a word, such as VIP. Segments and lists can ask for it.
          </EmptyState>
        }
      />
      {named !== undefined && <NameTag tag={named === 'new' ? undefined : named} onClose={() => setNamed(undefined)} />}
      {deleted && (
        <ConfirmDialog
          title={`Delete the tag “${deleted.name}”`}
          opened
          onClose={() => setDeleted(undefined)}
          action="Delete tag"
          danger
          Refusal={InUse}
          typed={deleted.contactCount > TYPED_ABOVE ? deleted.name : undefined}
          onConfirm={() => remove.mutateAsync({ params: { id: deleted.id } })}
        >
          <p>
            {deleted.contactCount === 0
              ? 'No contact has it.'
              : `It is taken off ${countText(deleted.contactCount, 'contact')}, who stay contacts.`}{' '}
            This cannot be undone.
          </p>
        </ConfirmDialog>
      )}
    </>
  )
}

type Acts = { rename: (tag: CountedTag) => void; remove: (tag: CountedTag) => void }

function columnsOf(acts: Acts | undefined): Column<CountedTag>[] {
  return [
    {
      id: 'name',
      head: 'Tag',
      width: '46%',
      cell: ({ name }) => (
        <Link to="/contacts" search={{ tag: name }} className="row-name">
          {name}
        </Link>
      ),
    },
    {
      id: 'contacts',
      head: 'Contacts',
      numeric: true,
      narrow: true,
      cell: ({ contactCount }) => numberText(contactCount),
    },
    { id: 'created', head: 'Created', cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
    ...(acts
      ? [
          {
            id: 'acts',
            head: '',
            width: '56px',
            narrow: true,
            cell: (tag: CountedTag) => (
              <Menu
                target={<IconButton label={`More for ${tag.name}`} icon={DotsIcon} tooltip={false} />}
                entries={[
                  { label: 'Rename', icon: PencilIcon, onSelect: () => acts.rename(tag) },
                  { label: 'Delete', icon: TrashIcon, danger: true, onSelect: () => acts.remove(tag) },
                ]}
              />
            ),
          },
        ]
      : []),
  ]
}
