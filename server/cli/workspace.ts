import { Command } from 'commander'
import { commandWorkspaces } from '../compose.ts'
import { createWorkspaceFor, listWorkspaces, requireName } from '../modules/workspaces/administer-workspaces.ts'
import { updateWorkspace } from '../modules/workspaces/manage-workspaces.ts'
import { operator } from './operator.ts'
import { missing, printTable, withDatabase, workspaceIdOf } from './with-database.ts'

const always = () => undefined

export function workspaceCommand(): Command {
  const command = new Command('workspace').description('workspaces of this instance')
  command
    .command('list')
    .description('list the workspaces')
    .action(() =>
      withDatabase(async ({ pools }) => printTable(await listWorkspaces({ sql: pools.sql }), 'No workspaces.')),
    )
  command
    .command('rename <slug> <name>')
    .description('give a workspace another name, which its readers see; the slug stays')
    .action((slug: string, name: string) =>
      withDatabase(async ({ pools }) => {
        const workspaceId = await workspaceIdOf(pools.sql, slug)
        requireName(name)
        const input = { change: { name }, requireMatchOf: always }
        const renamed = await updateWorkspace({ sql: pools.sql }, operator(workspaceId), input)
        console.log(`${slug} is now called ${renamed.name}.`)
      }),
    )
  command
    .command('create <slug> <name>')
    .description('make a workspace')
    .requiredOption('--owner <email>', 'the account that owns it: postroom user create makes one')
    .action((slug: string, name: string, options: { owner: string }) =>
      withDatabase(async (context) => {
        const input = { slug, name, ownerEmail: options.owner }
        const made = await createWorkspaceFor(commandWorkspaces(context), operator, input).catch(
          missing(`account ${options.owner}`),
        )
        console.log(`${made.slug} (${made.id}) belongs to ${options.owner}.`)
      }),
    )
  return command
}
