import { Command, InvalidArgumentError } from 'commander'
import { isScope, SCOPES, type Scope } from '../catalogue/scopes.ts'
import { createToken, listTokens, revokeToken, type TokenInfo } from '../modules/auth/manage-tokens.ts'
import { didYouMean } from '../platform/schema/did-you-mean.ts'
import { missing } from './command-error.ts'
import { listed } from './said.ts'
import { idShownBy, namesIn, sayingIn, time } from './saying.ts'

const SHOWN_MAX = 1_000

export function tokenCommand(): Command {
  const command = new Command('token').description('API tokens of a workspace')
  sayingIn(
    command
      .command('create')
      .description('make a token and print it, once')
      .argument('<name>', 'what it is for')
      .option('--scopes <list>', 'scopes separated by commas, or all', scopesIn, SCOPES)
      .option('--expires <time>', 'when it ends, RFC 3339; never without it', time)
      .addHelpText('after', `\nScopes: ${SCOPES.join(', ')}`),
    async ({ pools, caller }, { name, scopes, expires }: NewToken) => {
      const made = await createToken({ sql: pools.sql }, caller, { name, scopes, expiresAt: expires ?? null })
      return { text: made.token, json: { token: made.token, ...shownOf(made.tokenInfo) } }
    },
  )
  sayingIn(
    command.command('list').description('list tokens; the tokens themselves are not kept'),
    async ({ pools, caller }) => {
      const page = { page: 1, pageSize: SHOWN_MAX }
      const { items, total } = await listTokens({ sql: pools.sql }, caller.workspaceId, page)
      return listed(items.map(shownOf), { row: rowOf, empty: 'No tokens.', total })
    },
  )
  sayingIn(
    command
      .command('revoke')
      .description('end a token, within a second on every process')
      .argument('<id>', 'the token', idShownBy('token list')),
    async ({ pools, caller }, { id }: { id: string }) => {
      await revokeToken({ sql: pools.sql }, caller, id).catch(missing(`token ${id}`))
      return { text: `Token ${id} is revoked.`, json: { id, state: 'revoked' } }
    },
  )
  return command
}

type NewToken = { name: string; scopes: readonly Scope[]; expires?: string }

function shownOf({ id, name, prefix, scopes, expiresAt, revokedAt, lastUsedAt }: TokenInfo) {
  const isExpired = expiresAt !== null && Date.parse(expiresAt) < Date.now()
  const state = revokedAt ? 'revoked' : isExpired ? 'expired' : 'valid'
  return { id, name, prefix, scopes, state, expiresAt, lastUsedAt }
}

function rowOf({ scopes, expiresAt, lastUsedAt, ...shown }: ReturnType<typeof shownOf>) {
  const { id, name, prefix, state } = shown
  const granted = scopes.length === SCOPES.length ? 'all' : scopes
  return { id, name, prefix, scopes: granted, state, expires: expiresAt, used: lastUsedAt }
}

function scopesIn(text: string): readonly Scope[] {
  if (text === 'all') return SCOPES
  return namesIn(text).map((name) => {
    if (isScope(name)) return name
    const meant = didYouMean(name, SCOPES)
    throw new InvalidArgumentError(`"${name}" is no scope${meant === undefined ? '' : `; did you mean ${meant}?`}`)
  })
}
