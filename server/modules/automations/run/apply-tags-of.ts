import { changeTagsInRuns, ensureTags } from '../../tags/apply-tags.ts'
import type { TagNode } from '../definition/definition.ts'
import { causesOf } from './causes-of.ts'
import type { Run } from './run-state.ts'
import type { TurnContext } from './turn-context.ts'

/** Gives and takes the tags of a node; tags that there are not are made. */
export async function applyTagsOf(context: TurnContext, node: TagNode, runs: readonly Run[]): Promise<void> {
  const { tx, workspaceId } = context
  const system = { kind: 'system', id: null, name: null } as const
  const caller = { workspaceId, actor: system, requestId: null, ip: null, userAgent: null, scopes: new Set<never>() }
  const ids = await ensureTags(tx, caller, [...node.add, ...node.remove])
  const pairsOf = (names: readonly string[]) =>
    names.flatMap((name) => runs.map(({ contactId }) => ({ contactId, tagId: ids.get(name.toLowerCase())! })))
  await changeTagsInRuns(tx, workspaceId, {
    ...{ add: pairsOf(node.add), remove: pairsOf(node.remove) },
    causes: causesOf(context, runs),
  })
}
