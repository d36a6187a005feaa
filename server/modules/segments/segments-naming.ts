import type { Transaction } from '../../platform/db/transaction.ts'
import type { Use } from '../../platform/problem.ts'
import { parseDefinition } from './parse-definition.ts'
import { lockSegments, segmentsWith } from './queries.ts'
import { type References, referencesOf } from './references.ts'

/** The segments with a rule about a custom field, named for a person. None is saved until the transaction ends. */
export function segmentsNamingField(tx: Transaction, workspaceId: string, key: string): Promise<Use[]> {
  return segmentsNaming(tx, workspaceId, { text: 'custom:', isNamed: ({ keys }) => keys.has(key) })
}

/** The segments with a rule about a topic, in the same way. */
export function segmentsNamingTopic(tx: Transaction, workspaceId: string, id: string): Promise<Use[]> {
  return segmentsNaming(tx, workspaceId, { text: '"topic"', isNamed: ({ topicIds }) => topicIds.has(id) })
}

/** The segments with a rule about a tag, whatever the case of its letters, in the same way. */
export function segmentsNamingTag(tx: Transaction, workspaceId: string, name: string): Promise<Use[]> {
  const folded = name.toLowerCase()
  const isNamed = ({ tags }: References) => [...tags].some((tag) => tag.toLowerCase() === folded)
  return segmentsNaming(tx, workspaceId, { text: '"tag"', isNamed })
}

/** Definitions without the text are not read. */
type Naming = { text: string; isNamed: (references: References) => boolean }

async function segmentsNaming(tx: Transaction, workspaceId: string, { text, isNamed }: Naming): Promise<Use[]> {
  await lockSegments(tx, workspaceId)
  const segments = await segmentsWith(tx, workspaceId, text)
  return segments
    .filter(({ definition }) => isNamed(referencesOf([parseDefinition(definition).group])))
    .map(({ id, name }) => ({ type: 'segment', id, name }))
}
