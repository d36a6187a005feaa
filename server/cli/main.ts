import { Command } from 'commander'
import { takeSettingsFrom } from '../config.ts'
import { VERSION } from '../version.ts'

/** Exit codes besides 0: it could not be carried out, and it was asked for in the wrong way. */
const FAILED = 1
const MISUSED = 2

/** Runs a command line without the program's name; answers the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  try {
    const program = await commandLine(args)
    await program.parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    return await report(error)
  }
}

/** Each command by its name, loaded when it is used: most are a small part of what the service is. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  start: async () => (await import('./start.ts')).startCommand(),
  process: async () => (await import('./process.ts')).processCommand(),
  migrate: async () => (await import('./migrate.ts')).migrateCommand(),
  token: async () => (await import('./token.ts')).tokenCommand(),
  user: async () => (await import('./user.ts')).userCommand(),
  workspace: async () => (await import('./workspace.ts')).workspaceCommand(),
  mail: async () => (await import('./mail.ts')).mailCommand(),
  outbox: async () => (await import('./outbox.ts')).outboxCommand(),
  broadcast: async () => (await import('./broadcast.ts')).broadcastCommand(),
  automation: async () => (await import('./automation.ts')).automationCommand(),
  message: async () => (await import('./message.ts')).messageCommand(),
  webhook: async () => (await import('./webhook.ts')).webhookCommand(),
  audit: async () => (await import('./audit.ts')).auditCommand(),
  backup: async () => (await import('./backup.ts')).backupCommand(),
  restore: async () => (await import('./restore.ts')).restoreCommand(),
  restored: async () => (await import('./restored.ts')).restoredCommand(),
  move: async () => (await import('./move.ts')).moveCommand(),
  'import-from': async () => (await import('./import-from.ts')).importFromCommand(),
  version: async () => (await import('./version.ts')).versionCommand(),
}

/** The program with the command that a line names, or with all of them where it names none. */
export async function commandLine(args: readonly string[] = []): Promise<Command> {
  const program = new Command('postroom')
    .description(
      'Self-hosted email marketing and transactional mail: contacts, broadcasts, single messages, signed webhooks.',
    )
    .version(`postroom ${VERSION}`, '-V, --version', 'print the version')
    .option('--settings <file>', 'take settings from this file, as the service does; the environment goes before it')
    .hook('preAction', takeSettings)
    .addHelpText(
      'after',
      '\nSettings come from the environment, the same as those of the service; docs/guides/settings.md lists them.',
    )
    .exitOverride()
    .showHelpAfterError('(add --help for what the command takes)')
  for (const [name, load] of named(args)) program.addCommand(await load(), { hidden: name === 'process' })
  passManners(program)
  return program
}

function named(args: readonly string[]): [name: string, load: () => Promise<Command>][] {
  const [first = ''] = args[0] === '--settings' ? args.slice(2) : args
  const load = Object.hasOwn(COMMANDS, first) ? COMMANDS[first] : undefined
  return load ? [[first, load]] : Object.entries(COMMANDS)
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
async function report(error: unknown): Promise<number> {
  if (isCommanderExit(error)) return error.exitCode === 0 ? 0 : MISUSED
  const { explainError } = await import('./explain-error.ts')
  const explained = explainError(error)
  console.error(explained === undefined ? error : `postroom: ${explained}`)
  return FAILED
}

function isCommanderExit(error: unknown): error is { exitCode: number } {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('commander.')
}
