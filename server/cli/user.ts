import { randomBytes } from 'node:crypto'
import { Command } from 'commander'
import { isRole, ROLES } from '../modules/auth/roles.ts'
import { createUser } from '../modules/members/create-user.ts'
import { operator } from './operator.ts'
import { CommandError, withDatabase, workspaceIdOf } from './with-database.ts'

const PASSWORD_BYTES = 15

export function userCommand(): Command {
  const command = new Command('user').description('people who log in to the dashboard')
  command
    .command('create <email>')
    .description('make an account and print its password, once')
    .option('--workspace <slug>', 'the workspace it belongs to', 'default')
    .option('--role <role>', ROLES.join(', '), 'member')
    .option('--name <name>', 'how the person is shown; the part before @ without it')
    .action((email: string, options: { workspace: string; role: string; name?: string }) =>
      withDatabase(async ({ pools }) => {
        const { role } = options
        if (!isRole(role)) throw new CommandError(`--role must be one of ${ROLES.join(', ')}, not "${role}"`)
        const workspaceId = await workspaceIdOf(pools.sql, options.workspace)
        const password = randomBytes(PASSWORD_BYTES).toString('base64url')
        const input = { email, password, role, ...(options.name === undefined ? {} : { name: options.name }) }
        const user = await createUser({ sql: pools.sql }, operator(workspaceId), input)
        console.log(`email     ${user.email}\npassword  ${password}\nrole      ${user.role}`)
      }),
    )
  return command
}
