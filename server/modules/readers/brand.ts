import type { ReaderLanguage } from '../../catalogue/reader-languages.ts'
import type { Queryable } from '../../platform/db/transaction.ts'
import { UNNAMED } from '../workspaces/unnamed.ts'

/** A workspace as its readers see it, on pages and in the mails that the service writes itself. */
export type Brand = {
  name: string
  language: ReaderLanguage
  logoUrl: string | null
  /** `#2257d6`; null: the service's own. */
  color: string | null
  /** Where a reader goes on after a confirmation. */
  confirmedUrl: string | null
}

/**
 * The brand of a workspace; undefined for one that is no more. Nobody reads that it was never named: the name beside its
 * from address stands in, then the domain of that.
 */
export async function brandOf(db: Queryable, workspaceId: string): Promise<Brand | undefined> {
  const { rows } = await db.query<Brand>({
    name: 'brand_of_workspace',
    text: `select coalesce(nullif(w.name, $2), i.from_name, substring(i.from_email from '[^@]*$'), w.slug) as name,
        w.language, w.logo_url as "logoUrl", w.color, w.confirmed_url as "confirmedUrl"
      from workspaces w left join integrations i on i.workspace_id = w.id and i.channel = 'email' and i.is_default
      where w.id = $1`,
    values: [workspaceId, UNNAMED],
  })
  return rows[0]
}
