import { Command } from 'commander'
import { commandWorkspaces } from '../compose.ts'
import { createWorkspaceFor, listWorkspaces, requireName } from '../modules/workspaces/administer-workspaces.ts'
import { updateWorkspace } from '../modules/workspaces/manage-workspaces.ts'
import { missing } from './command-error.ts'
import { operator } from './operator.ts'
import { listed } from './said.ts'
import { saying } from './saying.ts'
import { workspaceIdOf } from './with-database.ts'

const always = () => undefined

export function workspaceCommand(): Command {
  const command = new Command('workspace').description('workspaces of this instance')
  saying(command.command('list').description('list the workspaces'), async ({ pools }) =>
    listed(await listWorkspaces({ sql: pools.sql }), { empty: 'No workspaces.' }),
  )
  saying(
    command
      .command('rename')
      .description('give a workspace another name, which its readers see; the slug stays')
      .argument('<slug>', 'the workspace')
      .argument('<name>', 'its new name'),
    async ({ pools }, { slug, name }: { slug: string; name: string }) => {
      const id = await workspaceIdOf(pools.sql, slug)
      requireName(name)
      const input = { change: { name }, requireMatchOf: always }
      const renamed = await updateWorkspace({ sql: pools.sql }, operator(id), input)
      return { text: `${slug} is now called ${renamed.name}.`, json: { id, slug, name: renamed.name } }
    },
  )
  saying(
    command
      .command('create')
      .description('make a workspace')
      .argument('<slug>', 'its name in addresses: a-z, 0-9 and -')
      .argument('<name>', 'its name, which its readers see')
      .requiredOption('--owner <email>', 'the account that owns it: "./postroom user create" makes one'),
    async (context, { slug, name, owner }: { slug: string; name: string; owner: string }) => {
      const input = { slug, name, ownerEmail: owner }
      const { id } = await createWorkspaceFor(commandWorkspaces(context), operator, input).catch(
        missing(`account ${owner}`),
      )
      return { text: `${slug} (${id}) belongs to ${owner}.`, json: { id, slug, name, owner } }
    },
  )
  return command
}
