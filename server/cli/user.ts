import { randomBytes } from 'node:crypto'
import { Command } from 'commander'
import { commandAccounts } from '../compose.ts'
import { makeResetLink } from '../modules/account/reset-password.ts'
import { isRole, ROLES } from '../modules/auth/roles.ts'
import { createUser } from '../modules/members/create-user.ts'
import { resetFactorOf } from '../modules/second-factor/reset-factor.ts'
import { operator, operatorActor } from './operator.ts'
import { CommandError, missing, withDatabase, workspaceIdOf } from './with-database.ts'

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
  command
    .command('reset-link <email>')
    .description('print a link to a new password, good once and for an hour; it also ends all sessions when used')
    .action((email: string) =>
      withDatabase(async (context) => {
        const deps = commandAccounts(context)
        console.log(await makeResetLink(deps, operatorActor(), email).catch(missing(`account ${email}`)))
      }),
    )
  command
    .command('reset-second-factor <email>')
    .description("remove somebody's second factor and end their sessions")
    .action((email: string) =>
      withDatabase(async (context) => {
        const what = `account ${email} with a second factor`
        await resetFactorOf(commandAccounts(context), operatorActor(), email).catch(missing(what))
        console.log(`${email} has no second factor any more, and is logged out everywhere.`)
      }),
    )
  return command
}
