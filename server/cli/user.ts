import { randomBytes } from 'node:crypto'
import { Command, Option } from 'commander'
import { commandAccounts } from '../compose.ts'
import { makeResetLink } from '../modules/account/reset-password.ts'
import { ROLES, type Role } from '../modules/auth/roles.ts'
import { createUser } from '../modules/members/create-user.ts'
import { resetFactorOf } from '../modules/second-factor/reset-factor.ts'
import { missing } from './command-error.ts'
import { operatorActor } from './operator.ts'
import { saying, sayingIn } from './saying.ts'

const PASSWORD_BYTES = 15

export function userCommand(): Command {
  const command = new Command('user').description('people who log in to the dashboard')
  sayingIn(
    command
      .command('create')
      .description('make an account and print its password, once')
      .argument('<email>', 'the login')
      .addOption(new Option('--role <role>', 'the role in the workspace').choices(ROLES).default('member'))
      .option('--name <name>', 'how the person is shown; the part before @ without it'),
    async ({ pools, caller }, { email, role, name }: { email: string; role: Role; name?: string }) => {
      const password = randomBytes(PASSWORD_BYTES).toString('base64url')
      const input = { email, password, role, ...(name === undefined ? {} : { name }) }
      const user = await createUser({ sql: pools.sql }, caller, input)
      return {
        text: `email     ${user.email}\npassword  ${password}\nrole      ${user.role}`,
        json: { ...user, password },
      }
    },
  )
  saying(
    command
      .command('reset-link')
      .description('print a link to a new password, good once and for an hour; it also ends all sessions when used')
      .argument('<email>', 'the login'),
    async (context, { email }: { email: string }) => {
      const link = await makeResetLink(commandAccounts(context), operatorActor(), email).catch(
        missing(`account ${email}`),
      )
      return { text: link, json: { email, link } }
    },
  )
  saying(
    command
      .command('reset-second-factor')
      .description("remove somebody's second factor and end their sessions")
      .argument('<email>', 'the login'),
    async (context, { email }: { email: string }) => {
      const what = `account ${email} with a second factor`
      await resetFactorOf(commandAccounts(context), operatorActor(), email).catch(missing(what))
      return { text: `${email} has no second factor any more, and is logged out everywhere.`, json: { email } }
    },
  )
  return command
}
