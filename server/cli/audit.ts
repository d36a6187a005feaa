import { once } from 'node:events'
import { Command, Option } from 'commander'
import { type ExportFormat, exportAudit } from '../modules/audit/export-audit.ts'
import { EXPORT_FORMATS } from '../modules/audit/schemas.ts'
import { type ChainFault, verifyAudit } from '../modules/audit/verify-audit.ts'
import { ALL_WORKSPACES, queryInScope } from '../platform/db/transaction.ts'
import { operator } from './operator.ts'
import { CommandError, withDatabase, workspaceIdOf } from './with-database.ts'

const WHY: Record<ChainFault, string> = {
  missing: 'the entry is missing',
  changed: 'the entry or its seal was changed',
  added: 'the entry was added',
  resealed: 'the log was rewritten and sealed anew with another key, or its first entries were cut off',
  key_unknown: 'ENCRYPTION_KEY no longer holds the key that the chain was marked with',
}

export function auditCommand(): Command {
  const command = new Command('audit').description('the audit log')
  command
    .command('verify')
    .description('compute the hash chains anew; the exit code is 1 when one does not hold')
    .option('--workspace <slug>', 'only of this workspace; all without it')
    .action(verify)
  command
    .command('export')
    .description('print entries, newest first; that is recorded too')
    .option('--workspace <slug>', 'the workspace', 'default')
    .addOption(new Option('--format <format>', 'how').choices(EXPORT_FORMATS).default('jsonl'))
    .option('--from <time>', 'only entries at or after this time, RFC 3339')
    .option('--to <time>', 'only entries strictly before this time, RFC 3339')
    .option('--action <action>', 'only this action')
    .action(printExport)
  return command
}

async function verify({ workspace }: { workspace?: string }): Promise<void> {
  await withDatabase(async ({ pools, keys }) => {
    const workspaces = await queryInScope<{ id: string; slug: string }>(pools.sql, ALL_WORKSPACES, {
      text: 'select id, slug from workspaces where $1::text is null or slug = $1 order by id',
      values: [workspace ?? null],
    })
    if (workspace !== undefined && workspaces.length === 0)
      throw new CommandError(`there is no workspace "${workspace}"`)
    let broken = 0
    for (const { id, slug } of workspaces) {
      const state = await verifyAudit({ sql: pools.sql, keys }, id)
      if (state.fault === null) {
        console.log(
          `${slug}: intact, ${state.sealedEntries} entries sealed, ${state.unsealedEntries} not yet, ${state.seal}`,
        )
        continue
      }
      broken += 1
      console.log(`${slug}: broken at ${state.brokenAt}: ${WHY[state.fault]}`)
    }
    if (broken > 0) throw new CommandError(`${broken} of ${workspaces.length} audit logs do not hold`)
  })
}

type ExportOptions = { workspace: string; format: ExportFormat; from?: string; to?: string; action?: string }

async function printExport({ workspace, format, ...filters }: ExportOptions): Promise<void> {
  for (const time of [filters.from, filters.to]) {
    if (time !== undefined && Number.isNaN(Date.parse(time))) throw new CommandError(`not a time: ${time}`)
  }
  await withDatabase(async ({ pools, config }) => {
    const workspaceId = await workspaceIdOf(pools.sql, workspace)
    const deps = { sql: pools.sql, edition: config.edition }
    for await (const chunk of await exportAudit(deps, operator(workspaceId), { format, ...filters })) {
      if (!process.stdout.write(chunk)) await once(process.stdout, 'drain')
    }
  })
}
