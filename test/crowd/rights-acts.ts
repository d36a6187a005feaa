import type { Permission } from '../../server/catalogue/permissions.ts'
import type { Scope } from '../../server/catalogue/scopes.ts'
import { SCOPES } from '../../server/catalogue/scopes.ts'
import type { Role } from '../../server/modules/auth/roles.ts'
import type { Acts } from './acts.ts'
import type { Doer, How } from './doer.ts'
import { change, type Holder, holder, mayOf, NOTHING } from './rights.ts'
import { idOf } from './slots.ts'
import { TAGS } from './world.ts'

const ROLES: readonly Role[] = ['admin', 'admin', 'member', 'viewer']
const TOKENS_MAX = 4

/** By the owner, or by one of those whose own rights change. */
function byOneOf(who: Doer, needs: Permission): How {
  return who.chance(50) ? { door: 'site' } : { door: 'site', as: { holder: who.pick(who.world.members), needs } }
}
const member = (who: Doer): Holder => who.pick(who.world.members)
const isOut = ({ changes }: Holder) => changes.at(-1)!.may === NOTHING
const holderOf = (who: Doer): Holder => who.pick([...who.world.members, ...who.world.tokens])
const asHolder = (who: Doer, needs: Permission): How => ({ as: { holder: holderOf(who), needs } })

/** What somebody may do by now, where an attempt that nobody answered may have been the one that changed it. */
async function standing({ world }: Doer, { id }: Holder) {
  const statement = 'select role from memberships where workspace_id = 1 and user_id = $1'
  const [member] = await world.instance.sql<{ role: Role }>(statement, [id])
  return member === undefined ? NOTHING : mayOf(member.role)
}
async function revoked({ world }: Doer, { id }: Holder) {
  const statement = 'select from api_tokens where id = $1 and revoked_at is not null'
  return (await world.instance.sql(statement, [id])).length > 0 ? NOTHING : undefined
}

export const rightsActs: Acts = {
  changeRole: {
    weight: 3,
    run: async (who) => {
      const [whose, role] = [member(who), who.pick(ROLES)]
      await change(whose, async () => {
        const how = byOneOf(who, 'members:write')
        const { status, cuts } = await who.call('PATCH', `/members/${whose.id}`, { role }, how)
        if (cuts > 0) return standing(who, whose)
        return status < 300 ? mayOf(role) : undefined
      })
    },
  },
  removeMember: {
    weight: 1,
    run: async (who) => {
      const whose = member(who)
      await change(whose, async () => {
        const how = byOneOf(who, 'members:write')
        const { status, cuts } = await who.call('DELETE', `/members/${whose.id}`, undefined, how)
        if (cuts > 0) return standing(who, whose)
        return status < 300 ? NOTHING : undefined
      })
    },
  },
  invite: {
    weight: 4,
    run: async (who) => {
      const whose = who.pick(who.world.members.filter(isOut))
      if (whose === undefined) return
      await change(whose, async () => {
        // How often one address is invited is not what is tried here.
        await who.world.instance.sql('delete from login_attempts')
        const role = who.pick(ROLES)
        const body = { email: whose.email, role }
        const { status, json } = await who.call('POST', '/invitations', body, { door: 'site' })
        if (status >= 300) return undefined
        const token = new URL(json.link).hash.slice(1)
        const accepted = await who.accept(whose, token)
        if (accepted.cuts > 0) return standing(who, whose)
        if (accepted.status >= 300) await who.call('DELETE', `/invitations/${json.id}`, undefined, { door: 'site' })
        return accepted.status < 300 ? mayOf(role) : undefined
      })
    },
  },
  makeToken: {
    weight: 2,
    run: async (who) => {
      const scopes: Scope[] = who.chance(30) ? [...SCOPES] : SCOPES.filter(() => who.chance(50))
      if (scopes.length === 0) return
      const path = '/tokens'
      const how: How = who.chance(50)
        ? { door: 'site' }
        : { door: 'site', as: { holder: member(who), needs: 'tokens:write' } }
      const { status, json } = await who.call('POST', path, { name: 'crowd', scopes }, how)
      if (status >= 300) return
      const { token, tokenInfo } = json
      const made = holder({
        name: `token ${tokenInfo.id}`,
        id: tokenInfo.id,
        door: 'api',
        login: { token },
        may: new Set(scopes),
      })
      const { tokens } = who.world
      if (tokens.length < TOKENS_MAX) tokens.push(made)
      else tokens[Math.floor(who.random() * TOKENS_MAX)] = made
    },
  },
  revokeToken: {
    weight: 2,
    run: async (who) => {
      const whose = who.pick(who.world.tokens)
      if (whose === undefined) return
      await change(whose, async () => {
        const how = byOneOf(who, 'tokens:write')
        const { status, cuts } = await who.call('DELETE', `/tokens/${whose.id}`, undefined, how)
        if (status < 300) return NOTHING
        return cuts > 0 ? revoked(who, whose) : undefined
      })
    },
  },
  readAs: { weight: 6, run: (who) => who.call('GET', '/contacts', undefined, asHolder(who, 'contacts:read')) },
  tagAs: {
    weight: 6,
    run: (who) =>
      who.call(
        'POST',
        `/contacts/${idOf(who, 'people')}/tags`,
        { name: who.pick(TAGS) },
        asHolder(who, 'contacts:write'),
      ),
  },
  limitAs: {
    weight: 2,
    run: (who) =>
      who.call(
        'PATCH',
        `/integrations/${who.world.integrationId}`,
        { maxPerSecond: who.pick([null, 50, 500]) },
        asHolder(who, 'integrations:write'),
      ),
  },
  mailAs: {
    weight: 2,
    run: (who) =>
      who.call(
        'POST',
        '/emails',
        { destination: 'p1@crowd.example', subject: 'Your receipt', text: 'Thank you.' },
        asHolder(who, 'emails:send'),
      ),
  },
}
