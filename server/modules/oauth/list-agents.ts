import type pg from 'pg'
import type { AgentScope } from '../../catalogue/scopes.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import { type PageQuery, rowsBefore } from '../../platform/schema/paging.ts'

type AgentRow = {
  id: string
  name: string
  clientHost: string | null
  redirectHost: string
  personId: string
  personName: string
  scopes: AgentScope[]
  connectedAt: string
  lastUsedAt: string | null
  expiresAt: string
  disconnectedAt: string | null
}

/** Agents that people have connected, the newest first; those that are not any more included. They are few, as tokens are. */
export async function listAgents(sql: pg.Pool, workspaceId: string, query: PageQuery) {
  const [rows, [count]] = await Promise.all([
    queryInScope<AgentRow>(sql, workspaceId, {
      name: 'connected_agents',
      text: `select t.id, t.name, g.client_host as "clientHost", g.redirect_host as "redirectHost", t.scopes,
          u.id as "personId", u.name as "personName", g.connected_at as "connectedAt",
          t.last_used_at as "lastUsedAt", t.expires_at as "expiresAt", t.revoked_at as "disconnectedAt"
        from agent_grants g
        join api_tokens t on t.workspace_id = g.workspace_id and t.id = g.token_id
        join users u on u.id = g.user_id
        where g.workspace_id = $1 and g.connected_at is not null
        order by t.id desc offset $2 limit $3`,
      values: [workspaceId, rowsBefore(query), query.pageSize],
    }),
    queryInScope<{ total: string }>(sql, workspaceId, {
      name: 'connected_agents_total',
      text: 'select count(*) as total from agent_grants where workspace_id = $1 and connected_at is not null',
      values: [workspaceId],
    }),
  ])
  const items = rows.map(({ personId, personName, ...agent }) => ({
    ...agent,
    connectedBy: { id: personId, name: personName },
  }))
  return { items, total: Number(count?.total ?? 0) }
}
