import type { Row } from '../route-rows.ts'

export const rows: Row[] = [
  {
    route: '/tokens',
    name: 'tokens',
    heading: 'Tokens',
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
      return '/tokens'
    },
  },
  { route: '/tokens/new', name: 'token-new', heading: 'New token' },
]
