import type { Scope } from '../../catalogue/scopes.ts'
import { TOOLSETS, type Tool, type Toolset } from '../tool.ts'

/** Parts of the list of tools that a client asked for by the address it connects to; they narrow, never widen. */
export type Narrowing = { toolsets: ReadonlySet<Toolset> | undefined; readOnly: boolean }

/** A request to an operation, in the name of the agent's token. */
export type InsideRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  body?: object | undefined
  headers: Readonly<Record<string, string>>
  once?: { key: string; seconds: number } | undefined
}

/** A request of an agent. */
export type Agent = Narrowing & {
  /** The way to operations. */
  request(wanted: InsideRequest): Promise<{ status: number; body: unknown }>
  userAgent: string | null
  scopes: ReadonlySet<string>
  /** Whether a person connected it, so that nobody holds its token. */
  isConnected: boolean
  /** As the client calls itself. */
  client: string
}

/** Reads `?toolsets=people,content&read_only=true`; unknown toolsets are passed over, so that none of them is none. */
export function narrowingOf(query: Readonly<Record<string, unknown>>): Narrowing {
  const { toolsets, read_only: readOnly } = query
  const names = typeof toolsets === 'string' ? toolsets.split(',') : undefined
  return {
    toolsets: names && new Set(TOOLSETS.filter((toolset) => names.includes(toolset))),
    readOnly: readOnly !== undefined && readOnly !== 'false',
  }
}

/** Scopes of a tool that the agent's token lacks. */
export function missingScopes({ scopes }: Pick<Agent, 'scopes'>, tool: Pick<Tool, 'needs'>): Scope[] {
  return tool.needs.filter((scope) => !scopes.has(scope))
}

type Offered = Pick<Tool, 'toolset' | 'effect' | 'forHoldersAlone'>

/** Whether the agent has the tool at all, at the address that it connects to. */
export function isOffered({ toolsets, readOnly, isConnected }: Narrowing & Pick<Agent, 'isConnected'>, tool: Offered) {
  if (isConnected && tool.forHoldersAlone) return false
  return (toolsets === undefined || toolsets.has(tool.toolset)) && (!readOnly || tool.effect === 'reads')
}

const NAME_CHARS_MAX = 80
const NOT_PLAIN = /[^\x20-\x7e]/g

/** A name that somebody gave themselves, fit for a header and a log. */
export function plainName(name: unknown): string {
  return typeof name === 'string' ? name.slice(0, NAME_CHARS_MAX).replaceAll(NOT_PLAIN, '').replaceAll('"', "'") : ''
}
