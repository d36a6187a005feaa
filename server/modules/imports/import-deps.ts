import type pg from 'pg'
import { jobKind } from '../../platform/jobs/job-kind.ts'

export type ImportDeps = {
  sql: pg.Pool
}

/** One job a workspace, which goes through its running imports one after the other. */
export const IMPORT_CONTACTS = jobKind<{ workspaceId: string }>({
  kind: 'import_contacts',
  queue: 'default',
  singletonKey: ({ workspaceId }) => workspaceId,
})
