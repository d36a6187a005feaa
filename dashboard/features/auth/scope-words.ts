import { SCOPES } from '../../lib/catalogue.ts'
import { wordsOf } from '../../lib/format.ts'

export type Scope = (typeof SCOPES)[number]

const AREAS: Readonly<Record<string, string>> = { mcp: 'Agents', tokens: 'API tokens', audit: 'Audit log' }
const ACTS: Readonly<Record<string, string>> = {
  read: 'Read',
  write: 'Change',
  erase: 'Erase for good',
  send: 'Send',
  activate: 'Activate',
}
const OWN: Readonly<Partial<Record<Scope, string>>> = {
  'events:write': 'Record',
  'emails:send': 'Send single messages',
  'mcp:send': 'Send on an agent’s behalf',
}

export type ScopeGroup<One extends string = Scope> = { area: string; scopes: { scope: One; act: string }[] }

/** Scopes by what they are about, in the order of the catalogue. */
export const SCOPE_GROUPS: readonly ScopeGroup[] = groupsOf(SCOPES)

export function groupsOf<One extends string>(scopes: readonly One[]): ScopeGroup<One>[] {
  const groups = new Map<string, ScopeGroup<One>>()
  for (const scope of scopes) {
    const [name = '', verb = ''] = scope.split(':')
    const area = AREAS[name] ?? wordsOf(name)
    const group = groups.get(area) ?? { area, scopes: [] }
    group.scopes.push({ scope, act: OWN[scope as string as Scope] ?? ACTS[verb] ?? wordsOf(verb) })
    groups.set(area, group)
  }
  return [...groups.values()]
}

export type Preset = { name: string; words: string; scopes: readonly Scope[] }

export const PRESETS: readonly Preset[] = [
  { name: 'Record events', words: 'A site or an app that reports what people do.', scopes: ['events:write'] },
  {
    name: 'Send messages',
    words: 'A program that sends receipts and resets.',
    scopes: ['emails:send', 'templates:read'],
  },
  {
    name: 'Keep contacts in step',
    words: 'A shop or a CRM.',
    scopes: ['contacts:read', 'contacts:write', 'events:write', 'custom_fields:read', 'custom_fields:write'],
  },
  {
    name: 'Read everything',
    words: 'Reports and backups.',
    scopes: SCOPES.filter((scope) => scope.endsWith(':read') && scope !== 'tokens:read'),
  },
]

/** The scopes of a token in few words. */
export function scopesText(scopes: readonly string[]): string {
  if (scopes.length === SCOPES.length) return 'Everything'
  return scopes.length <= 3 ? scopes.join(', ') : `${scopes.slice(0, 2).join(', ')} and ${scopes.length - 2} more`
}
