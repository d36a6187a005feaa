import { Command } from 'commander'
import { takeSettingsFrom } from '../config.ts'
import { VERSION } from '../version.ts'
import { auditCommand } from './audit.ts'
import { automationCommand } from './automation.ts'
import { backupCommand } from './backup.ts'
import { broadcastCommand } from './broadcast.ts'
import { explainError } from './explain-error.ts'
import { importFromCommand } from './import-from.ts'
import { mailCommand } from './mail.ts'
import { messageCommand } from './message.ts'
import { migrateCommand } from './migrate.ts'
import { moveCommand } from './move.ts'
import { outboxCommand } from './outbox.ts'
import { processCommand } from './process.ts'
import { restoreCommand } from './restore.ts'
import { restoredCommand } from './restored.ts'
import { startCommand } from './start.ts'
import { tokenCommand } from './token.ts'
import { userCommand } from './user.ts'
import { versionCommand } from './version.ts'
import { webhookCommand } from './webhook.ts'
import { workspaceCommand } from './workspace.ts'

/** Exit codes besides 0: it could not be carried out, and it was asked for in the wrong way. */
const FAILED = 1
const MISUSED = 2

/** Runs a command line without the program's name; answers the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  try {
    await commandLine().parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    return report(error)
  }
}

/** The program with all its commands. */
export function commandLine(): Command {
  const program = new Command('postroom')
    .description(
      'Self-hosted email marketing and transactional mail: contacts, broadcasts, single messages, signed webhooks.',
    )
    .version(`postroom ${VERSION}`, '-V, --version', 'print the version')
    .option('--settings <file>', 'take settings from this file, as the service does; the environment goes before it')
    .hook('preAction', takeSettings)
    .addHelpText(
      'after',
      '\nSettings come from the environment, the same as those of the service; README.md lists them.',
    )
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
    .addCommand(backupCommand())
    .addCommand(restoreCommand())
    .addCommand(restoredCommand())
    .addCommand(moveCommand())
    .addCommand(importFromCommand())
    .addCommand(versionCommand())
  passManners(program)
  return program
}

function takeSettings(program: Command): void {
  const { settings } = program.opts<{ settings?: string }>()
  if (settings !== undefined) takeSettingsFrom(settings)
}

/** How faults of use are told is the same for all. */
function passManners(command: Command): void {
  for (const inner of command.commands) {
    inner.copyInheritedSettings(command)
    passManners(inner)
  }
}

/** Prints the fault, in one line if a person can set it right, with its stack for a bug. */
function report(error: unknown): number {
  if (isCommanderExit(error)) return error.exitCode === 0 ? 0 : MISUSED
  const explained = explainError(error)
  console.error(explained === undefined ? error : `postroom: ${explained}`)
  return FAILED
}

function isCommanderExit(error: unknown): error is { exitCode: number } {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('commander.')
}
