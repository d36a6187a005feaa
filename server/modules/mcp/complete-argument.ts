import type { Scope } from '../../catalogue/scopes.ts'
import type { CallOperation } from '../tool.ts'
import { type ApiDocument, callableOperations } from './callable-operations.ts'
import { promptNamed } from './prompts.ts'
import { guideNames, RESOURCE_TEMPLATES, type ResourceTemplate } from './resources.ts'

/** Of one answer, by the protocol. */
const VALUES_MAX = 100
/** Names are searched for no longer ones. */
const TYPED_CHARS_MAX = 200
const DIGITS = /^\d*$/

type Reference = { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string }
export type Completing = { ref: Reference; argument: { name: string; value: string } }
type Asking = { typed: string; call: CallOperation; scopes: ReadonlySet<string> }
/** All values that fit so far, or the first of them and how many there are. */
type Fitting = { values: readonly string[]; total: number }

/** Values for the part of an address, by the name of its template. */
const PARTS: Readonly<Record<ResourceTemplate['name'], (asking: Asking) => Promise<Fitting>>> = {
  guide: async ({ typed }) => fitting(await guideNames(), typed),
  operation: async ({ typed, call, scopes }) => {
    const operations = callableOperations((await call('GET /api/openapi.json')) as ApiDocument)
    const own = operations.filter(({ scope }) => scope === 'any' || scopes.has(scope))
    return fitting(own.map(({ operationId }) => operationId).sort(), typed)
  },
  template: (asking) => idsOf('GET /api/templates', { needs: 'templates:read', asking }),
  report: (asking) => idsOf('GET /api/broadcasts', { needs: 'broadcasts:read', sort: '-id', asking }),
}

/**
 * Values that an argument of a prompt, or the part of an address between braces, may have, as far as somebody has typed it: none
 * where anything will do, and none of what the token may not read. Undefined when there is no such prompt, address or argument.
 */
export async function completeArgument(
  { ref, argument: { name, value } }: Completing,
  way: Omit<Asking, 'typed'>,
): Promise<{ values: string[]; total: number; hasMore: boolean } | undefined> {
  const typed = value.slice(0, TYPED_CHARS_MAX)
  const found = await (ref.type === 'ref/prompt' ? ofPrompt(ref.name) : ofResource(ref.uri))
  return found && { values: found.values.slice(0, VALUES_MAX), total: found.total, hasMore: found.total > VALUES_MAX }

  function ofPrompt(of: string): Fitting | undefined {
    const prompt = promptNamed(of)
    return prompt?.argument === name ? fitting(prompt.offers, typed) : undefined
  }
  function ofResource(uri: string): Promise<Fitting> | undefined {
    const template = RESOURCE_TEMPLATES.find(({ uriTemplate }) => uriTemplate === uri)
    return template?.uriTemplate.includes(`{${name}}`) ? PARTS[template.name]({ ...way, typed }) : undefined
  }
}

/** Values that begin with what was typed, then those that have it in them. */
function fitting(values: readonly string[], typed: string): Fitting {
  const sought = typed.toLowerCase()
  const places = values.map((value) => ({ value, at: value.toLowerCase().indexOf(sought) }))
  const [first, others] = [places.filter(({ at }) => at === 0), places.filter(({ at }) => at > 0)]
  const fit = [...first, ...others].map(({ value }) => value)
  return { values: fit, total: fit.length }
}

type Listed = { items: { id: string }[]; totalItems: number }
type Lister = { needs: Scope; sort?: string; asking: Asking }

/** Ids of what is there: of those whose names have a typed text, or, of the first ones, those that begin with typed digits. */
async function idsOf(
  operation: `GET /api/${string}`,
  { needs, sort, asking: { typed, call, scopes } }: Lister,
): Promise<Fitting> {
  if (!scopes.has(needs)) return { values: [], total: 0 }
  const search = DIGITS.test(typed) ? undefined : typed
  const { items, totalItems }: Listed = await call(operation, { query: { search, sort, pageSize: VALUES_MAX } })
  const ids = items.map(({ id }) => String(id))
  return typed === '' || search !== undefined ? { values: ids, total: totalItems } : fitting(ids, typed)
}
