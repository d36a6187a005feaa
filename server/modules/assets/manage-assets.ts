import { createHash } from 'node:crypto'
import type pg from 'pg'
import { invalid, limitReached, notFound, unprocessable } from '../../catalogue/problems.ts'
import { readName } from '../../catalogue/read-name.ts'
import { inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import type { PageQuery } from '../../platform/schema/paging.ts'
import { diffOf, recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import {
  type AssetRow,
  assetByIdStatement,
  assetOfContent,
  assetsForAdding,
  assetsPageStatement,
  assetsTotalStatement,
  deleteAssetRow,
  insertAsset,
} from './asset-queries.ts'
import { ENDINGS, imageOf } from './image-of.ts'
import type { ImageStore } from './image-store.ts'
import { type Asset, type AssetBody, IMAGE_BYTES_MAX } from './schemas.ts'

/** `baseUrl` is where people reach the service, with a slash at its end. */
export type AssetDeps = { sql: pg.Pool; baseUrl: URL; images: ImageStore }

/** Of a workspace: its pictures, and their bytes together. */
const ASSETS_MAX = 2_000
const ASSETS_BYTES_MAX = 256 * 1024 * 1024
/** Larger ones are no pictures for a mail, and take more memory to show than a phone has. */
const SIDE_PX_MAX = 10_000

/** A page, the newest first. */
export async function listAssets(deps: AssetDeps, workspaceId: string, page: PageQuery) {
  const [rows, totals] = await Promise.all([
    queryInScope(deps.sql, workspaceId, assetsPageStatement(workspaceId, page)),
    queryInScope(deps.sql, workspaceId, assetsTotalStatement(workspaceId)),
  ])
  return { items: rows.map((row) => assetOf(deps, workspaceId, row)), total: Number(totals[0]?.total ?? 0) }
}

/** Throws 404. */
export async function readAsset(deps: AssetDeps, workspaceId: string, id: string): Promise<Asset> {
  const [row] = await queryInScope(deps.sql, workspaceId, assetByIdStatement(workspaceId, id))
  if (!row) throw notFound()
  return assetOf(deps, workspaceId, row)
}

/**
 * Keeps a picture. The same bytes again are the picture that is there, under the name it has. Throws 400 for a blank name, 422
 * for what is no picture of the four kinds or too large a one, 409 where the workspace has no room for it.
 */
export async function createAsset(deps: AssetDeps, caller: Caller, body: AssetBody): Promise<Asset> {
  const { workspaceId } = caller
  const name = readName(body.name)
  const content = readContent(body.data)
  const facts = imageOf(content)
  if (facts === undefined) throw unprocessable([{ pointer: '/data', detail: 'is no PNG, JPEG, GIF or WebP' }])
  if (Math.max(facts.width, facts.height) > SIDE_PX_MAX) {
    throw unprocessable([{ pointer: '/data', detail: `has more than ${SIDE_PX_MAX} pixels a side` }])
  }
  const digest = createHash('sha256').update(content).digest('hex')
  return inTransaction(deps.sql, workspaceId, async (tx) => {
    const { total, bytes } = await assetsForAdding(tx, workspaceId)
    const there = await assetOfContent(tx, workspaceId, digest)
    if (there) return assetOf(deps, workspaceId, there)
    if (total >= ASSETS_MAX || bytes + content.length > ASSETS_BYTES_MAX) {
      throw limitReached(`A workspace has at most ${ASSETS_MAX} images of 256 MiB together: delete some.`)
    }
    const row = await insertAsset(tx, workspaceId, { ...facts, name, digest, content })
    const target = { type: 'asset', id: row.id, name }
    const diff = diffOf(undefined, { name, type: row.type, bytes: row.bytes })
    await recordAudit(tx, caller, { action: 'asset.create', target, diff })
    return assetOf(deps, workspaceId, row)
  })
}

/** Takes a picture away: mails that show it have a gap there, those that were read too, within a minute. Throws 404. */
export async function deleteAsset({ sql, images }: AssetDeps, caller: Caller, id: string): Promise<void> {
  const { workspaceId } = caller
  await inTransaction(sql, workspaceId, async (tx) => {
    const row = await deleteAssetRow(tx, workspaceId, id)
    if (!row) throw notFound()
    tx.afterCommit(() => images.forget(workspaceId, row.digest))
    const target = { type: 'asset', id, name: row.name }
    await recordAudit(tx, caller, { action: 'asset.delete', target, diff: diffOf({ name: row.name }, undefined) })
  })
}

function assetOf({ baseUrl }: AssetDeps, workspaceId: string, { digest, ...row }: AssetRow): Asset {
  return { ...row, url: `${baseUrl.href}images/${workspaceId}/${digest}.${ENDINGS[row.type]}` }
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

function readContent(data: string): Buffer {
  if (!BASE64.test(data)) throw invalid([{ pointer: '/data', detail: 'must be base64' }])
  const content = Buffer.from(data, 'base64')
  if (content.length <= IMAGE_BYTES_MAX) return content
  throw unprocessable([{ pointer: '/data', detail: `has more than ${IMAGE_BYTES_MAX} bytes` }])
}
