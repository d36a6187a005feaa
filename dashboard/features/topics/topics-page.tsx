import { useState } from 'react'
import { useCan } from '../../lib/permissions.ts'
import type { Topic } from '../../lib/site-types.ts'
import { useAct, useSite } from '../../lib/use-site.ts'
import { pageNumber, useUrlState } from '../../lib/use-url-state.ts'
import { AsCurl } from '../../ui/as-curl.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Button, IconButton } from '../../ui/controls.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { DotsIcon, ListDetailsIcon, PencilIcon, PlusIcon, TrashIcon } from '../../ui/icons.tsx'
import { InUse } from '../../ui/in-use.tsx'
import { Menu } from '../../ui/menu.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { PagedTable } from '../../ui/paged-table.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { AudienceTabs } from '../contacts/audience-tabs.tsx'
import { EditTopic } from './edit-topic.tsx'
import { SUBSCRIPTIONS, VISIBILITIES } from './topic-words.ts'

type Act = { kind: 'edit' | 'delete'; topic: Topic } | { kind: 'new' }

/** Kinds of mail that readers choose by themselves. */
export default function TopicsPage() {
  const mayWrite = useCan()('contacts:write')
  const [url, setUrl] = useUrlState({ page: '1' })
  const [act, setAct] = useState<Act>()
  const query = { page: pageNumber(url.page) }
  const topics = useSite('GET /topics', { query }, { keep: true })
  const remove = useAct('DELETE /topics/{id}', { changes: ['/topics', '/contacts'] })
  const close = () => setAct(undefined)
  const newTopic = mayWrite && (
    <Button kind="primary" icon={PlusIcon} onClick={() => setAct({ kind: 'new' })}>
      New topic
    </Button>
  )
  return (
    <>
      <PageHeader
        title="Topics"
        actions={
          <>
            <AsCurl operation="GET /topics" query={query} />
            {newTopic}
          </>
        }
      >
        Kinds of mail that readers choose by themselves. Who leaves one goes on getting the others.
      </PageHeader>
      <AudienceTabs />
      <PagedTable
        read={topics}
        label="Topics"
        columns={columnsOf(mayWrite ? setAct : undefined)}
        noun="topic"
        setUrl={setUrl}
        none={
          <EmptyState title="No topics yet" icon={ListDetailsIcon} actions={newTopic}>
            Without topics people can only leave all of your newsletters at once. With “Product news” and “Events” they
            keep what they like; a broadcast says which of them it is.
          </EmptyState>
        }
      />
      {act?.kind === 'new' && <EditTopic onClose={close} />}
      {act?.kind === 'edit' && <EditTopic topic={act.topic} onClose={close} />}
      {act?.kind === 'delete' && (
        <ConfirmDialog
          title={`Delete the topic “${act.topic.name}”`}
          opened
          onClose={close}
          action="Delete topic"
          danger
          Refusal={InUse}
          typed={act.topic.name}
          onConfirm={() => remove.mutateAsync({ params: { id: act.topic.id } })}
        >
          <p>What people said about it, yes or no, goes with it and cannot be brought back. They stay contacts.</p>
        </ConfirmDialog>
      )}
    </>
  )
}

function columnsOf(onAct: ((act: Act) => void) | undefined): Column<Topic>[] {
  return [
    {
      id: 'name',
      head: 'Topic',
      width: '40%',
      cell: ({ name, description }) => (
        <>
          <span className="row-name">{name}</span>
          {description !== null && <div className="soft">{description}</div>}
        </>
      ),
    },
    {
      id: 'subscription',
      head: 'Goes to',
      narrow: 'below',
      cell: ({ subscription, doubleOptIn }) =>
        doubleOptIn ? 'Who subscribed and confirmed' : SUBSCRIPTIONS[subscription].short,
    },
    { id: 'visibility', head: 'Shown to', narrow: 'below', cell: ({ visibility }) => VISIBILITIES[visibility].short },
    { id: 'created', head: 'Created', cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
    ...(onAct
      ? [
          {
            id: 'acts',
            head: '',
            width: '56px',
            narrow: true,
            cell: (topic: Topic) => (
              <Menu
                target={<IconButton label={`More for ${topic.name}`} icon={DotsIcon} tooltip={false} />}
                entries={[
                  { label: 'Edit', icon: PencilIcon, onSelect: () => onAct({ kind: 'edit', topic }) },
                  { label: 'Delete', icon: TrashIcon, danger: true, onSelect: () => onAct({ kind: 'delete', topic }) },
                ]}
              />
            ),
          },
        ]
      : []),
  ]
}
