import { Command } from 'commander'
import { ConfigError } from '../config.ts'
import { ListenError } from '../listen-error.ts'
import { UnsuitableDatabaseError } from '../platform/db/check-database.ts'
import { databaseOutcome } from '../platform/db/errors.ts'
import { DataDirInUseError } from '../platform/postgres/data-dir-lock.ts'
import { PostgresStartError } from '../platform/postgres/start-error.ts'
import { Problem } from '../platform/problem.ts'
import { VERSION } from '../version.ts'
import { auditCommand } from './audit.ts'
import { broadcastCommand } from './broadcast.ts'
import { mailCommand } from './mail.ts'
import { messageCommand } from './message.ts'
import { migrateCommand } from './migrate.ts'
import { outboxCommand } from './outbox.ts'
import { startCommand } from './start.ts'
import { tokenCommand } from './token.ts'
import { userCommand } from './user.ts'
import { webhookCommand } from './webhook.ts'
import { CommandError } from './with-database.ts'

/** Runs a command line without the program's name; answers the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const program = new Command('postroom')
    .description(
      'Self-hosted email marketing and transactional mail: contacts, broadcasts, single messages, signed webhooks.',
    )
    .version(`postroom ${VERSION}`, '-V, --version', 'print the version')
    .addHelpText('after', '\nSettings come from the environment; README.md lists them.')
    .exitOverride()
    .showHelpAfterError('(add --help for what the command takes)')
  program
    .addCommand(startCommand())
    .addCommand(migrateCommand())
    .addCommand(tokenCommand())
    .addCommand(userCommand())
    .addCommand(mailCommand())
    .addCommand(outboxCommand())
    .addCommand(broadcastCommand())
    .addCommand(messageCommand())
    .addCommand(webhookCommand())
    .addCommand(auditCommand())
    .addCommand(
      new Command('version').description('print the version').action(() => console.log(`postroom ${VERSION}`)),
    )
  for (const command of program.commands) {
    command.copyInheritedSettings(program)
    for (const inner of command.commands) inner.exitOverride()
  }
  try {
    await program.parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    return report(error)
  }
}

/** Prints the fault, in one line if a person can set it right, with its stack for a bug. */
function report(error: unknown): number {
  if (isCommanderExit(error)) return error.exitCode
  const expected =
    error instanceof ConfigError ||
    error instanceof CommandError ||
    error instanceof ListenError ||
    error instanceof UnsuitableDatabaseError ||
    error instanceof DataDirInUseError ||
    error instanceof PostgresStartError
  if (expected) console.error(`postroom: ${error.message}`)
  else if (error instanceof Problem) console.error(`postroom: ${error.detail ?? error.title}`)
  else if (['away', 'timed_out'].includes(databaseOutcome(error) ?? ''))
    console.error(`postroom: the database does not answer: ${(error as Error).message}`)
  else console.error(error)
  return 1
}

function isCommanderExit(error: unknown): error is { exitCode: number } {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('commander.')
}
