import { once } from 'node:events'
import { Command, Option } from 'commander'
import { type ExportFormat, exportAudit } from '../modules/audit/export-audit.ts'
import { EXPORT_FORMATS } from '../modules/audit/schemas.ts'
import { type ChainFault, type ChainState, verifyAudit } from '../modules/audit/verify-audit.ts'
import { errorCode } from '../platform/db/errors.ts'
import { ALL_WORKSPACES, queryInScope } from '../platform/db/transaction.ts'
import { operator } from './operator.ts'
import type { Said } from './said.ts'
import { saying, time } from './saying.ts'
import { type CommandContext, withDatabase, workspaceIdOf } from './with-database.ts'

const WHY: Record<ChainFault, string> = {
  missing: 'the entry is missing',
  changed: 'the entry or its seal was changed',
  added: 'the entry was added',
  resealed: 'the log was rewritten and sealed anew with another key, or its first entries were cut off',
  key_unknown: 'ENCRYPTION_KEY no longer holds the key that the chain was marked with',
}

export function auditCommand(): Command {
  const command = new Command('audit').description('the audit log')
  saying(
    command
      .command('verify')
      .description('compute the hash chains anew; the exit code is 1 when one does not hold')
      .option('--workspace <slug>', 'only of this workspace; all without it'),
    verify,
  )
  command
    .command('export')
    .description('print entries, newest first; that is recorded too')
    .option('--workspace <slug>', 'the workspace', 'default')
    .addOption(new Option('--format <format>', 'how').choices(EXPORT_FORMATS).default('jsonl'))
    .option('--json', 'the same as --format jsonl: an entry a line')
    .option('--from <time>', 'only entries at or after this time, RFC 3339', time)
    .option('--to <time>', 'only entries strictly before this time, RFC 3339', time)
    .option('--action <action>', 'only this action')
    .action(printExport)
  return command
}

async function verify({ pools, keys }: CommandContext, { workspace }: { workspace?: string }): Promise<Said> {
  const only = workspace === undefined ? null : await workspaceIdOf(pools.sql, workspace)
  const workspaces = await queryInScope<{ id: string; slug: string }>(pools.sql, ALL_WORKSPACES, {
    text: 'select id, slug from workspaces where $1::bigint is null or id = $1 order by id',
    values: [only],
  })
  const states = []
  for (const { id, slug } of workspaces)
    states.push({ workspace: slug, ...(await verifyAudit({ sql: pools.sql, keys }, id)) })
  const broken = states.filter(({ fault }) => fault !== null).length
  return {
    text: states.map(lineOf).join('\n'),
    json: states,
    fault: broken > 0 ? `${broken} of ${states.length} audit logs do not hold` : undefined,
  }
}

function lineOf({ workspace, ...state }: ChainState & { workspace: string }): string {
  if (state.fault !== null) return `${workspace}: broken at ${state.brokenAt}: ${WHY[state.fault]}`
  return `${workspace}: intact, ${state.sealedEntries} entries sealed, ${state.unsealedEntries} not yet, ${state.seal}`
}

type ExportOptions = {
  workspace: string
  format: ExportFormat
  json?: true
  from?: string
  to?: string
  action?: string
}

async function printExport({ workspace, format: asked, json, ...filters }: ExportOptions): Promise<void> {
  const format = json ? 'jsonl' : asked
  await withDatabase(async ({ pools, config }) => {
    const workspaceId = await workspaceIdOf(pools.sql, workspace)
    const deps = { sql: pools.sql, edition: config.edition }
    for await (const chunk of await exportAudit(deps, operator(workspaceId), { format, ...filters })) {
      if (!(await isPrinted(chunk))) return
    }
  })
}

/** Prints it, as fast as it is read; false where nobody reads any more. */
async function isPrinted(chunk: string | Buffer): Promise<boolean> {
  try {
    if (!process.stdout.write(chunk)) await once(process.stdout, 'drain')
    return true
  } catch (error) {
    if (errorCode(error) === 'EPIPE') return false
    throw error
  }
}
