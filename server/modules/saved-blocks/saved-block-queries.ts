import type { Statement } from '../../platform/db/statement.ts'
import type { Queryable } from '../../platform/db/transaction.ts'
import { type PageQuery, rowsBefore } from '../../platform/schema/paging.ts'
import type { SavedBlock, SavedBlockSummary } from './schemas.ts'

const FACTS = `b.id, b.name, b.element`
const TIMES = `b.created_at as "createdAt", b.updated_at as "updatedAt"`
const BLOCK = `${FACTS}, b.body, ${TIMES}`

export type BlockContent = Pick<SavedBlock, 'name' | 'element' | 'body'>

export function savedBlockStatement(workspaceId: string, id: string): Statement<SavedBlock> {
  return {
    name: 'saved_block_by_id',
    text: `select ${BLOCK} from saved_blocks b where b.workspace_id = $1 and b.id = $2`,
    values: [workspaceId, id],
  }
}

export function savedBlocksPageStatement(workspaceId: string, page: PageQuery): Statement<SavedBlockSummary> {
  return {
    name: 'saved_blocks_page',
    text: `select ${FACTS}, ${TIMES} from saved_blocks b
      where b.workspace_id = $1 order by lower(b.name) limit $2 offset $3`,
    values: [workspaceId, page.pageSize, rowsBefore(page)],
  }
}

export function savedBlocksTotalStatement(workspaceId: string): Statement<{ total: string }> {
  return {
    name: 'saved_blocks_total',
    text: `select coalesce(sum(total), 0)::bigint as total from row_counts
      where workspace_id = $1 and relation = 'saved_blocks'`,
    values: [workspaceId],
  }
}

export async function savedBlockForChange(
  tx: Queryable,
  workspaceId: string,
  id: string,
): Promise<SavedBlock | undefined> {
  const { text, values } = savedBlockStatement(workspaceId, id)
  const { rows } = await tx.query<SavedBlock>({ name: 'saved_block_for_change', text: `${text} for update`, values })
  return rows[0]
}

/** Counts a workspace's blocks, and keeps others from adding some until the transaction ends. */
export async function savedBlocksForAdding(tx: Queryable, workspaceId: string): Promise<number> {
  await tx.query({
    name: 'lock_saved_blocks',
    text: `select pg_advisory_xact_lock(hashtextextended('saved_blocks', $1::bigint))`,
    values: [workspaceId],
  })
  const { rows } = await tx.query<{ total: number }>({
    name: 'count_saved_blocks',
    text: 'select count(*)::int as total from saved_blocks where workspace_id = $1',
    values: [workspaceId],
  })
  return rows[0]!.total
}

export async function insertSavedBlock(tx: Queryable, workspaceId: string, given: BlockContent): Promise<SavedBlock> {
  const { rows } = await tx.query<SavedBlock>({
    name: 'insert_saved_block',
    text: `insert into saved_blocks as b (workspace_id, name, element, body) values ($1, $2, $3, $4) returning ${BLOCK}`,
    values: [workspaceId, given.name, given.element, given.body],
  })
  return rows[0]!
}

export async function updateSavedBlock(tx: Queryable, workspaceId: string, block: SavedBlock): Promise<SavedBlock> {
  const { rows } = await tx.query<SavedBlock>({
    name: 'update_saved_block',
    text: `update saved_blocks b set name = $3, element = $4, body = $5, updated_at = now()
      where b.workspace_id = $1 and b.id = $2 returning ${BLOCK}`,
    values: [workspaceId, block.id, block.name, block.element, block.body],
  })
  return rows[0]!
}

export async function deleteSavedBlockRow(tx: Queryable, workspaceId: string, id: string): Promise<void> {
  await tx.query({
    name: 'delete_saved_block',
    text: 'delete from saved_blocks where workspace_id = $1 and id = $2',
    values: [workspaceId, id],
  })
}
