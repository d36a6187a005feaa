import { Command } from 'commander'
import { isScope, SCOPES, type Scope } from '../catalogue/scopes.ts'
import { createToken, listTokens, revokeToken } from '../modules/auth/manage-tokens.ts'
import { operator } from './operator.ts'
import { CommandError, missing, printTable, withDatabase, workspaceIdOf } from './with-database.ts'

const SHOWN_MAX = 1_000

type Options = { workspace: string }

export function tokenCommand(): Command {
  const command = new Command('token').description('API tokens of a workspace')
  const add = (usage: string, description: string) =>
    command.command(usage).description(description).option('--workspace <slug>', 'the workspace', 'default')

  add('create <name>', 'make a token and print it, once')
    .option('--scopes <list>', 'scopes separated by commas, or all', 'all')
    .option('--expires <time>', 'when it ends, RFC 3339; never without it')
    .addHelpText('after', `\nScopes: ${SCOPES.join(', ')}`)
    .action((name: string, options: Options & { scopes: string; expires?: string }) =>
      withDatabase(async ({ pools }) => {
        const workspaceId = await workspaceIdOf(pools.sql, options.workspace)
        const input = { name, scopes: scopesOf(options.scopes), expiresAt: timeOf(options.expires) }
        const { token } = await createToken({ sql: pools.sql }, operator(workspaceId), input)
        console.log(token)
      }),
    )
  add('list', 'list tokens; the tokens themselves are not kept').action((options: Options) =>
    withDatabase(async ({ pools }) => {
      const workspaceId = await workspaceIdOf(pools.sql, options.workspace)
      const { items } = await listTokens({ sql: pools.sql }, workspaceId, { page: 1, pageSize: SHOWN_MAX })
      const rows = items.map(({ id, name, prefix, scopes, expiresAt, revokedAt, lastUsedAt }) => ({
        id,
        name,
        prefix,
        scopes: scopes.length === SCOPES.length ? 'all' : scopes.join(','),
        state: revokedAt ? 'revoked' : expiresAt && Date.parse(expiresAt) < Date.now() ? 'expired' : 'valid',
        expires: expiresAt,
        used: lastUsedAt,
      }))
      printTable(rows, 'No tokens.')
    }),
  )
  add('revoke <id>', 'end a token, within a second on every process').action((id: string, options: Options) =>
    withDatabase(async ({ pools }) => {
      if (!/^\d{1,18}$/.test(id)) throw new CommandError(`not an id: ${id} (see "postroom token list")`)
      const workspaceId = await workspaceIdOf(pools.sql, options.workspace)
      await revokeToken({ sql: pools.sql }, operator(workspaceId), id).catch(missing(`token ${id}`))
      console.log(`Token ${id} is revoked.`)
    }),
  )
  return command
}

function scopesOf(text: string): readonly Scope[] {
  if (text === 'all') return SCOPES
  return text.split(',').map((part) => {
    const scope = part.trim()
    if (isScope(scope)) return scope
    throw new CommandError(`"${scope}" is no scope; "postroom token create --help" lists them`)
  })
}

function timeOf(text: string | undefined): string | null {
  if (text === undefined) return null
  const time = Date.parse(text)
  if (Number.isNaN(time))
    throw new CommandError(`--expires is no time: ${text} (RFC 3339, such as 2027-01-31T00:00:00Z)`)
  return new Date(time).toISOString()
}
