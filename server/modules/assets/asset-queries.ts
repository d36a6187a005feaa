import type { Statement } from '../../platform/db/statement.ts'
import type { Queryable } from '../../platform/db/transaction.ts'
import { type PageQuery, rowsBefore } from '../../platform/schema/paging.ts'
import type { ImageFacts, ImageType } from './image-of.ts'

/** An asset as the database gives it; `digest` is the SHA-256 of its bytes, in hexadecimal. */
export type AssetRow = {
  id: string
  name: string
  type: ImageType
  bytes: number
  width: number
  height: number
  digest: string
  createdAt: string
}

const ASSET = `a.id, a.name, a.type, a.bytes, a.width, a.height, encode(a.digest, 'hex') as digest, a.created_at as "createdAt"`

export function assetByIdStatement(workspaceId: string, id: string): Statement<AssetRow> {
  return {
    name: 'asset_by_id',
    text: `select ${ASSET} from assets a where a.workspace_id = $1 and a.id = $2`,
    values: [workspaceId, id],
  }
}

export function assetsPageStatement(workspaceId: string, page: PageQuery): Statement<AssetRow> {
  return {
    name: 'assets_page',
    text: `select ${ASSET} from assets a where a.workspace_id = $1 order by a.id desc limit $2 offset $3`,
    values: [workspaceId, page.pageSize, rowsBefore(page)],
  }
}

export function assetsTotalStatement(workspaceId: string): Statement<{ total: string }> {
  return {
    name: 'assets_total',
    text: `select coalesce(sum(total), 0)::bigint as total from row_counts where workspace_id = $1 and relation = 'assets'`,
    values: [workspaceId],
  }
}

export function imageFactsStatement(
  workspaceId: string,
  digest: string,
): Statement<{ type: ImageType; bytes: number }> {
  return {
    name: 'image_facts',
    text: `select type, bytes from assets where workspace_id = $1 and digest = decode($2, 'hex')`,
    values: [workspaceId, digest],
  }
}

export function imageContentStatement(workspaceId: string, digest: string): Statement<{ content: Buffer }> {
  return {
    name: 'image_content',
    text: `select content from assets where workspace_id = $1 and digest = decode($2, 'hex')`,
    values: [workspaceId, digest],
  }
}

/** Counts what a workspace has, and keeps others from adding some until the transaction ends. */
export async function assetsForAdding(tx: Queryable, workspaceId: string): Promise<{ total: number; bytes: number }> {
  await tx.query({
    name: 'lock_assets',
    text: `select pg_advisory_xact_lock(hashtextextended('assets', $1::bigint))`,
    values: [workspaceId],
  })
  const { rows } = await tx.query<{ total: number; bytes: number }>({
    name: 'count_assets',
    text: `select count(*)::int as total, coalesce(sum(bytes), 0)::float8 as bytes from assets where workspace_id = $1`,
    values: [workspaceId],
  })
  return rows[0]!
}

export async function assetOfContent(
  tx: Queryable,
  workspaceId: string,
  digest: string,
): Promise<AssetRow | undefined> {
  const { rows } = await tx.query<AssetRow>({
    name: 'asset_of_content',
    text: `select ${ASSET} from assets a where a.workspace_id = $1 and a.digest = decode($2, 'hex')`,
    values: [workspaceId, digest],
  })
  return rows[0]
}

export type NewAsset = ImageFacts & { name: string; digest: string; content: Buffer }

export async function insertAsset(tx: Queryable, workspaceId: string, given: NewAsset): Promise<AssetRow> {
  const { name, type, width, height, digest, content } = given
  const { rows } = await tx.query<AssetRow>({
    name: 'insert_asset',
    text: `insert into assets as a (workspace_id, name, type, bytes, width, height, digest, content)
      values ($1, $2, $3, $4, $5, $6, decode($7, 'hex'), $8) returning ${ASSET}`,
    values: [workspaceId, name, type, content.length, width, height, digest, content],
  })
  return rows[0]!
}

export async function deleteAssetRow(tx: Queryable, workspaceId: string, id: string): Promise<AssetRow | undefined> {
  const { rows } = await tx.query<AssetRow>({
    name: 'delete_asset',
    text: `delete from assets a where a.workspace_id = $1 and a.id = $2 returning ${ASSET}`,
    values: [workspaceId, id],
  })
  return rows[0]
}
