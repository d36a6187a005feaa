import { useState } from 'react'
import { useCan } from '../../lib/permissions.ts'
import type { TokenInfo } from '../../lib/site-types.ts'
import { areKnown, useOnceKnown } from '../../lib/use-known.ts'
import { useAct, useSite } from '../../lib/use-site.ts'
import { pageNumber, useUrlState } from '../../lib/use-url-state.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Button } from '../../ui/controls.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { KeyIcon, PlusIcon } from '../../ui/icons.tsx'
import { ButtonLink } from '../../ui/link.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { PagedTable } from '../../ui/paged-table.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { say } from '../../ui/toasts.tsx'
import { SendPolicyDialog } from '../approvals/send-policy-dialog.tsx'
import { ConnectedAgents, useAgents } from './connected-agents.tsx'
import { scopesText } from './scope-words.ts'
import classes from './tokens.module.css'

/** Keys of programs: what each may do, until when, and when it was used last. */
export default function TokensPage() {
  const can = useCan()
  const [url, setUrl] = useUrlState({ page: '1' })
  const [revoked, setRevoked] = useState<TokenInfo>()
  const [sending, setSending] = useState<TokenInfo>()
  const tokens = useSite('GET /tokens', { query: { page: pageNumber(url.page), pageSize: 25 } }, { keep: true })
  const agents = useAgents()
  const isListed = useOnceKnown(areKnown(tokens))
  const revoke = useAct('DELETE /tokens/{id}', { changes: ['/tokens'] })
  const add = can('tokens:write') && (
    <ButtonLink kind="primary" icon={PlusIcon} to="/tokens/new">
      New token
    </ButtonLink>
  )
  return (
    <>
      <PageHeader title="Tokens" actions={add}>
        Programs show one with each request. It can do what its scopes say, in this workspace alone.
      </PageHeader>
      <PagedTable
        read={tokens}
        label="Tokens"
        columns={columnsOf(can('tokens:write') ? { onRevoke: setRevoked, onSending: setSending } : undefined)}
        noun="token"
        setUrl={setUrl}
        none={
          <EmptyState title="No program has access" icon={KeyIcon} actions={add}>
            A token lets a program use the API. Give it the scopes it needs and no more.
          </EmptyState>
        }
      />
      {isListed && (
        <div className={classes.agents}>
          <ConnectedAgents read={agents} />
        </div>
      )}
      {sending && <SendPolicyDialog token={sending} onClose={() => setSending(undefined)} />}
      <ConfirmDialog
        title="Revoke this token"
        opened={revoked !== undefined}
        onClose={() => setRevoked(undefined)}
        action="Revoke token"
        danger
        onConfirm={async () => {
          if (revoked) await revoke.mutateAsync({ params: { id: revoked.id } })
          say('Revoked. It is refused everywhere within a second.')
        }}
      >
        <p>
          Programs that use <strong>{revoked?.name}</strong> are refused from now on. It cannot be taken back; make a
          new one instead.
        </p>
        {revoked?.lastUsedAt && (
          <p className="soft">
            Last used <RelativeTime at={revoked.lastUsedAt} />.
          </p>
        )}
      </ConfirmDialog>
    </>
  )
}

function stateOf({ revokedAt, expiresAt }: TokenInfo) {
  if (revokedAt !== null) return <StatusBadge tone="neutral">Revoked</StatusBadge>
  if (expiresAt !== null && Date.parse(expiresAt) <= Date.now())
    return <StatusBadge tone="neutral">Expired</StatusBadge>
  return <StatusBadge tone="good">Active</StatusBadge>
}

function isOver({ revokedAt, expiresAt }: TokenInfo): boolean {
  return revokedAt !== null || (expiresAt !== null && Date.parse(expiresAt) <= Date.now())
}

type Acts = Record<'onRevoke' | 'onSending', (token: TokenInfo) => void>

function columnsOf(acts: Acts | undefined): Column<TokenInfo>[] {
  return [
    {
      id: 'name',
      head: 'Name',
      cell: ({ name, prefix }) => (
        <span className={classes.lines}>
          <span className={classes.name}>{name}</span>
          {prefix !== null && <code className={classes.soft}>{prefix}…</code>}
        </span>
      ),
    },
    {
      id: 'scopes',
      head: 'May',
      narrow: 'below',
      cell: ({ scopes }) => <span title={scopes.join(', ')}>{scopesText(scopes)}</span>,
    },
    { id: 'state', head: 'State', width: '104px', narrow: true, cell: stateOf },
    {
      id: 'used',
      head: 'Last used',
      narrow: 'below',
      width: '120px',
      cell: ({ lastUsedAt }) =>
        lastUsedAt === null ? <span className="soft">Never</span> : <RelativeTime at={lastUsedAt} />,
    },
    {
      id: 'expires',
      head: 'Expires',
      narrow: 'below',
      width: '120px',
      cell: ({ expiresAt }) =>
        expiresAt === null ? <span className="soft">Never</span> : <RelativeTime at={expiresAt} />,
    },
    ...(acts === undefined
      ? []
      : [
          {
            id: 'acts',
            head: '',
            width: '188px',
            narrow: 'below' as const,
            cell: (token: TokenInfo) =>
              !isOver(token) && (
                <span className={classes.acts}>
                  {token.scopes.includes('mcp:send') && (
                    <Button small kind="quiet" onClick={() => acts.onSending(token)}>
                      May send…
                      <span className="visually-hidden"> as {token.name}</span>
                    </Button>
                  )}
                  <Button small kind="quiet" onClick={() => acts.onRevoke(token)}>
                    Revoke
                    <span className="visually-hidden"> {token.name}</span>
                  </Button>
                </span>
              ),
          },
        ]),
  ]
}
