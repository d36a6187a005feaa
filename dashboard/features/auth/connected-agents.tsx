import { useState } from 'react'
import { useCan } from '../../lib/permissions.ts'
import type { ConnectedAgent } from '../../lib/site-types.ts'
import { useAct, useSite } from '../../lib/use-site.ts'
import { pageNumber, useUrlState } from '../../lib/use-url-state.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Button } from '../../ui/controls.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { PagedTable } from '../../ui/paged-table.tsx'
import { Panel } from '../../ui/panel.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { say } from '../../ui/toasts.tsx'
import { SendPolicyDialog } from '../approvals/send-policy-dialog.tsx'
import { scopesText } from './scope-words.ts'
import classes from './tokens.module.css'

const FIRST = { agents: '1' }

/** A page of the agents, which the address names. */
export function useAgents() {
  const [url] = useUrlState(FIRST)
  return useSite('GET /agents', { query: { page: pageNumber(url.agents), pageSize: 25 } }, { keep: true })
}

/** Agents that people have let in: which, by whom, to what, and how to be rid of one. */
export function ConnectedAgents({ read }: { read: ReturnType<typeof useAgents> }) {
  const can = useCan()
  const [, setUrl] = useUrlState(FIRST)
  const [leaving, setLeaving] = useState<ConnectedAgent>()
  const [sending, setSending] = useState<ConnectedAgent>()
  const disconnect = useAct('DELETE /agents/{id}', { changes: ['/agents'] })
  return (
    <Panel title="Connected agents" flush>
      <PagedTable
        read={read}
        loadingRows={2}
        label="Connected agents"
        columns={columnsOf(can('tokens:write') ? { onLeave: setLeaving, onSending: setSending } : undefined)}
        noun="agent"
        setUrl={({ page }, how) => setUrl({ agents: page }, how)}
        none={
          <p className="soft panel-words">
            None. Give an agent the address <code>{`${location.origin}/mcp`}</code>: it leads you to a page here that
            asks whether to let it in.
          </p>
        }
      />
      {sending && <SendPolicyDialog token={sending} onClose={() => setSending(undefined)} />}
      <ConfirmDialog
        title="Disconnect this agent"
        opened={leaving !== undefined}
        onClose={() => setLeaving(undefined)}
        action="Disconnect"
        danger
        onConfirm={async () => {
          if (leaving) await disconnect.mutateAsync({ params: { id: leaving.id } })
          say('Disconnected. It is refused everywhere within a second.')
        }}
      >
        <p>
          <strong>{leaving?.name}</strong> is refused from now on. What it drafted stays. It can be let in again by
          whoever may make tokens.
        </p>
      </ConfirmDialog>
    </Panel>
  )
}

function isOver({ disconnectedAt, expiresAt }: ConnectedAgent): boolean {
  return disconnectedAt !== null || Date.parse(expiresAt) <= Date.now()
}

function stateOf(agent: ConnectedAgent) {
  if (!isOver(agent)) return <StatusBadge tone="good">Connected</StatusBadge>
  return <StatusBadge tone="neutral">{agent.disconnectedAt === null ? 'Unused for long' : 'Disconnected'}</StatusBadge>
}

type Acts = Record<'onLeave' | 'onSending', (agent: ConnectedAgent) => void>

function columnsOf(acts: Acts | undefined): Column<ConnectedAgent>[] {
  return [
    {
      id: 'name',
      head: 'Agent',
      cell: ({ name, clientHost, redirectHost }) => (
        <span className={classes.lines}>
          <span className={classes.name}>{name}</span>
          <span className={classes.soft}>
            {clientHost === null ? `from ${redirectHost}, its name unchecked` : `described by ${clientHost}`}
          </span>
        </span>
      ),
    },
    {
      id: 'scopes',
      head: 'May',
      narrow: 'below',
      cell: ({ scopes }) => <span title={scopes.join(', ')}>{scopesText(scopes)}</span>,
    },
    { id: 'state', head: 'State', width: '132px', narrow: true, cell: stateOf },
    {
      id: 'by',
      head: 'Connected',
      narrow: 'below',
      width: '120px',
      cell: ({ connectedBy, connectedAt }) => (
        <span className={classes.lines}>
          <span>{connectedBy.name}</span>
          <span className={classes.soft}>
            <RelativeTime at={connectedAt} />
          </span>
        </span>
      ),
    },
    {
      id: 'used',
      head: 'Last used',
      narrow: 'below',
      width: '112px',
      cell: ({ lastUsedAt }) =>
        lastUsedAt === null ? <span className="soft">Never</span> : <RelativeTime at={lastUsedAt} />,
    },
    ...(acts === undefined
      ? []
      : [
          {
            id: 'acts',
            head: '',
            width: '212px',
            narrow: 'below' as const,
            cell: (agent: ConnectedAgent) => actsOn(agent, acts),
          },
        ]),
  ]
}

function actsOn(agent: ConnectedAgent, { onLeave, onSending }: Acts) {
  if (isOver(agent)) return null
  return (
    <span className={classes.acts}>
      {agent.scopes.includes('mcp:send') && (
        <Button small kind="quiet" onClick={() => onSending(agent)}>
          May send…
          <span className="visually-hidden"> as {agent.name}</span>
        </Button>
      )}
      <Button small kind="quiet" onClick={() => onLeave(agent)}>
        Disconnect
        <span className="visually-hidden"> {agent.name}</span>
      </Button>
    </span>
  )
}
