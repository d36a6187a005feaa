import { useState } from 'react'
import { lazyPart } from '../../lib/load-part.ts'
import { useHere } from '../../lib/permissions.ts'
import type { Membership } from '../../lib/site-types.ts'
import { useSite } from '../../lib/use-site.ts'
import { pageNumber, useUrlState } from '../../lib/use-url-state.ts'
import { Button } from '../../ui/controls.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { PlusIcon } from '../../ui/icons.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { PagedTable } from '../../ui/paged-table.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { ROLE_WORDS } from '../members/role-words.ts'

const NewWorkspace = lazyPart(() => import('./new-workspace.tsx'))

/** Workspaces that one belongs to: each with its own contacts, mail, people and keys. */
export default function WorkspacesPage() {
  const { workspace, workspaces } = useHere()
  const [url, setUrl] = useUrlState({ page: '1' })
  const [isNew, setNew] = useState(false)
  const query = { page: pageNumber(url.page), pageSize: 50 }
  const list = useSite('GET /site/workspaces', { query }, { keep: true })
  const ownsOne = workspaces.some(({ role }) => role === 'owner')
  return (
    <>
      <PageHeader
        title="Workspaces"
        actions={
          ownsOne && (
            <Button kind="primary" icon={PlusIcon} onClick={() => setNew(true)}>
              New workspace
            </Button>
          )
        }
      >
        Each has its own contacts, mail, people and keys. Nothing passes from one to another.
      </PageHeader>
      <PagedTable read={list} label="Workspaces" columns={columnsOf(workspace.id)} noun="workspace" setUrl={setUrl} />
      {isNew && <NewWorkspace onClose={() => setNew(false)} />}
    </>
  )
}

function columnsOf(hereId: string): Column<Membership>[] {
  return [
    {
      id: 'name',
      head: 'Name',
      // Another workspace is another document: nothing of this one stays in its memory.
      cell: ({ id, slug, name }) => (
        <>
          <a href={`/app/${slug}`} className="row-name">
            {name}
          </a>{' '}
          {id === hereId && <StatusBadge tone="info">Here</StatusBadge>}
        </>
      ),
    },
    { id: 'slug', head: 'Part of addresses', cell: ({ slug }) => <code>{slug}</code> },
    { id: 'role', head: 'Your role', width: '120px', narrow: true, cell: ({ role }) => ROLE_WORDS[role].name },
  ]
}
