import { Command } from 'commander'
import { VERSION } from '../version.ts'
import { auditCommand } from './audit.ts'
import { automationCommand } from './automation.ts'
import { broadcastCommand } from './broadcast.ts'
import { explainError } from './explain-error.ts'
import { mailCommand } from './mail.ts'
import { messageCommand } from './message.ts'
import { migrateCommand } from './migrate.ts'
import { outboxCommand } from './outbox.ts'
import { processCommand } from './process.ts'
import { restoredCommand } from './restored.ts'
import { startCommand } from './start.ts'
import { tokenCommand } from './token.ts'
import { userCommand } from './user.ts'
import { webhookCommand } from './webhook.ts'
import { workspaceCommand } from './workspace.ts'

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
    .addCommand(processCommand(), { hidden: true })
    .addCommand(migrateCommand())
    .addCommand(tokenCommand())
    .addCommand(userCommand())
    .addCommand(workspaceCommand())
    .addCommand(mailCommand())
    .addCommand(outboxCommand())
    .addCommand(broadcastCommand())
    .addCommand(automationCommand())
    .addCommand(messageCommand())
    .addCommand(webhookCommand())
    .addCommand(auditCommand())
    .addCommand(restoredCommand())
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
  const explained = explainError(error)
  console.error(explained === undefined ? error : `postroom: ${explained}`)
  return 1
}

function isCommanderExit(error: unknown): error is { exitCode: number } {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('commander.')
}
