import type pg from 'pg'
import { PROBLEMS } from '../../catalogue/problems.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import { Problem } from '../../platform/problem.ts'
import type { Caller } from '../auth/caller.ts'
import { createBroadcast } from '../broadcasts/manage-broadcasts.ts'
import type { CompiledCache } from '../templates/compiled-cache.ts'
import { createTemplate } from '../templates/manage-templates.ts'
import type { LeftOut, MovedBroadcast, MovedTemplate } from './moved.ts'

export type MailDeps = { sql: pg.Pool; compiled: CompiledCache }

type Told = { created: number; known: number; leftOut: LeftOut[] }

/** Makes templates; one whose key is there stays as it is. */
export function moveTemplates(deps: MailDeps, caller: Caller, templates: readonly MovedTemplate[]): Promise<Told> {
  return eachOnce(templates, async (template) => {
    const known = await queryInScope(deps.sql, caller.workspaceId, {
      name: 'moving_template_of_key',
      text: 'select 1 from templates where workspace_id = $1 and key = $2',
      values: [caller.workspaceId, template.key],
    })
    if (known.length > 0) return 'known'
    await createTemplate(deps, caller, template)
    return 'created'
  })
}

/** Makes drafts of broadcasts; one whose name is there stays as it is. */
export function moveBroadcasts(deps: MailDeps, caller: Caller, broadcasts: readonly MovedBroadcast[]): Promise<Told> {
  return eachOnce(broadcasts, async (broadcast) => {
    const known = await queryInScope(deps.sql, caller.workspaceId, {
      name: 'moving_broadcast_of_name',
      text: 'select 1 from broadcasts where workspace_id = $1 and name = $2 limit 1',
      values: [caller.workspaceId, broadcast.name],
    })
    if (known.length > 0) return 'known'
    await createBroadcast(deps, caller, broadcast)
    return 'created'
  })
}

/** One that its author has to mend first is left out, with what is wrong with it. */
async function eachOnce<T extends { name: string }>(
  items: readonly T[],
  move: (item: T) => Promise<'created' | 'known'>,
): Promise<Told> {
  const told: Told = { created: 0, known: 0, leftOut: [] }
  for (const item of items) {
    try {
      told[await move(item)] += 1
    } catch (error) {
      if (!(error instanceof Problem) || error.code === PROBLEMS.overloaded.code) throw error
      const [fault] = error.errors ?? []
      told.leftOut.push({ what: item.name, why: fault ? `${fault.pointer.slice(1)} ${fault.detail}` : error.message })
    }
  }
  return told
}
