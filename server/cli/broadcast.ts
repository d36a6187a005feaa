import { Command } from 'commander'
import { explainBroadcast } from '../modules/broadcasts/report/explain-broadcast.ts'
import { secretBox } from '../platform/crypto/secret-box.ts'
import { CommandError, missing, printTable, withDatabase, workspaceIdOf } from './with-database.ts'

export function broadcastCommand(): Command {
  const command = new Command('broadcast').description('broadcasts and where they stand')
  command
    .command('explain <id>')
    .description('tell why a broadcast does not move, or not faster')
    .option('--workspace <slug>', 'the workspace', 'default')
    .action((id: string, options: { workspace: string }) =>
      withDatabase(async ({ pools, keys }) => {
        if (!/^\d{1,18}$/.test(id)) throw new CommandError(`not an id: ${id}`)
        const workspaceId = await workspaceIdOf(pools.sql, options.workspace)
        const deps = { sql: pools.sql, secrets: secretBox(keys) }
        const told = await explainBroadcast(deps, { workspaceId, id }).catch(missing(`broadcast ${id}`))
        const { status, recipientsTotal, pendingCount, handingCount } = told
        console.log(
          `Broadcast ${id}: ${status}, ${recipientsTotal} recipients, ${pendingCount} pending, ${handingCount} under way`,
        )
        console.log(`${told.summary}\n`)
        printTable(told.findings, 'Nothing more is known.')
      }),
    )
  return command
}
