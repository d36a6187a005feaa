import type { Row } from '../route-rows.ts'
import type { World } from '../world.ts'

/** Agents that somebody has let in: one that is described somewhere, and one that has gone. */
async function connectAgents({ instance }: World): Promise<void> {
  await instance.sql(`with agent (name, host, ended) as (values
        ('Claude', 'claude.ai', null::timestamptz), ('A program with a long name, as they are given by those who write them', null, now())
      ), token as (
        insert into api_tokens (workspace_id, name, hash, scopes, expires_at, revoked_at)
        select 1, name, sha256(name::bytea), '{contacts:read,broadcasts:write,mcp:send}', now() + interval '30 days', ended from agent
        where not exists (select from agent_grants) returning id, name)
    insert into agent_grants (workspace_id, token_id, user_id, client_id, client_host, redirect_host, connected_at)
    select 1, t.id, (select min(id) from users), 'https://claude.ai/client.json', a.host, 'claude.ai', now()
    from token t join agent a using (name)`)
}

export const rows: Row[] = [
  {
    route: '/tokens',
    name: 'tokens',
    heading: 'Tokens',
    offers: [7, 0, 0],
    path: async (world) => {
      const { json } = await world.site('GET', '/tokens?pageSize=100')
      if (!json.items.some(({ name }: { name: string }) => name === 'Shop')) {
        await world.site('POST', '/tokens', { name: 'Shop', scopes: ['events:write'] })
        await world.site('POST', '/tokens', { name: 'Assistant', scopes: ['mcp:send', 'broadcasts:send'] })
        const { json: old } = await world.site('POST', '/tokens', {
          name: 'A token with a long name, as people give them when they want to tell all about it in one place',
          scopes: ['contacts:read', 'contacts:write', 'segments:read', 'events:read', 'broadcasts:read'],
        })
        await world.site('DELETE', `/tokens/${old.tokenInfo.id}`)
      }
      await connectAgents(world)
      return '/tokens'
    },
  },
  { route: '/tokens/new', name: 'token-new', heading: 'New token', offers: [4, 0, 0] },
]
